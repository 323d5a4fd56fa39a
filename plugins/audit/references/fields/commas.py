"""Commas: entries whose parts commas keep apart, "Reed, A. (2001), Title, Journal, 12" and "Reed, A., 2001, Title"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

Range = tuple[int, int]
"""The first character, and the one behind the last."""
_TITLE = re.compile(
    r"(?:\((?:1[5-9]|20)\d\d[a-z]?s?\)|(?:[,—–]\s|^)(?:1[5-9]|20)\d\d[a-z]?),\s(?!(?:pp?|vol|no|v)\b|\d+[-–])(?=[^\W_]|[(])",
    re.IGNORECASE,
)
"""The year behind the names and its comma: the title comes next."""
_NUMBERS = re.compile(
    r"\s*(?:\d{1,4}(?:\s?\([^)]{1,20}\)|[A-Z]{1,2})?|(?:vol|no|v|n|p|pp|art|iss)\.?\s?[A-Z]?\d.*)$", re.IGNORECASE
)
_SOURCE = re.compile(
    r"\s*(?:in\s|edited\s|\d+\s?pp?\b|\d+(?:st|nd|rd|th)\s|(?:vol|ser|ed|eds|chap|tech|rep|publ|unpublished)\b)",
    re.IGNORECASE,
)
"""What opens the part behind a title: the book it stands in, an edition, a series, a number of pages."""
_SHORTENED = re.compile(r"(?<![\w.])[A-Z][A-Za-z]{0,9}\.(?=\s|$|[,A-Z])")
_REGION = re.compile(r"\s*(?:[A-Z]{2,3}|(?:[A-Z]\.\s?){1,3})\.?\s*$")
"""The state or country behind a place: "NY", "U.K."."""
_SMALL = re.compile(r"(?<![\w'’.-])(?!(?:a|an|and|of|the|for|in|on|to|de|des|du|für|und|et|y)\b)[a-z][a-z'’-]+")
"""A word in small letters that says something."""
_LEAST_TITLE = 3
_MOST_COLONS = 12


def title_by_commas(masked: str) -> tuple[Range, int, bool] | None:
    """Return the title, where its source begins, and True if that is certain; None if commas do not tell.

    The title ends at the first comma behind which a source stands: one with an abbreviation, before a volume, "in",
    an edition; in a book, before publisher and place. "2001, Title: Journal of Tides, v. 3" parts them by a colon.
    """
    opening = _TITLE.search(masked)
    if opening is None:
        return None
    start = opening.end()
    bare = not opening.group().startswith("(")
    if bare and (colon := _source_behind_colon(masked, start)) is not None:
        return (start, colon), colon + 2, False
    parts = list(_parts(masked, start))
    for number, (begin, end) in enumerate(parts[1:], 1):
        text = masked[begin:end].rstrip(" .") if end == len(masked) else masked[begin:end]
        before_volume = number + 1 < len(parts) and _NUMBERS.match(masked[slice(*parts[number + 1])])
        named = sum(c.isalpha() for c in text) >= _LEAST_TITLE
        if _NUMBERS.match(text) and number == 1 and not text.strip().isdigit():
            return (start, parts[0][1]), begin + 1, True
        if _SOURCE.match(text) or (named and (_SHORTENED.search(text) or before_volume)):
            return (start, parts[number - 1][1]), begin + 1, True
    return _book(masked, parts)


def _book(masked: str, parts: Sequence[Range]) -> tuple[Range, int, bool] | None:
    """Return the title of a book: what stands before the publisher and the place, with which the entry ends."""
    texts = [masked[a:b].strip(" .") for a, b in parts]
    last = len(texts) - 1
    last -= last > 2 and _REGION.match(masked[slice(*parts[last])]) is not None
    if last < 2 or any(_SMALL.search(text) or not text[:1].isupper() for text in texts[last - 1 : last + 1]):
        return None
    if any(c.isdigit() for text in texts[last - 1 :] for c in text):
        return None
    return (parts[0][0], parts[last - 2][1]), parts[last - 1][0] + 1, last == 2


def _source_behind_colon(masked: str, start: int) -> int | None:
    """Return the colon behind a title in small letters that a source in capitals follows."""
    for colon in islice(re.finditer(r":\s", masked[start:]), _MOST_COLONS):
        at = start + colon.start()
        stop = re.search(r",|$", masked[at + 2 :])
        source = masked[at + 2 : at + 2 + (stop.start() if stop else 0)]
        if _SMALL.search(masked, start, at) and source.strip()[:1].isupper() and not _SMALL.search(source):
            return at
    return None


def _parts(masked: str, start: int) -> Iterator[Range]:
    """Yield the parts between commas; one in brackets or between digits parts nothing."""
    begin = start
    for comma in re.finditer(r",(?=\s)", masked[start:]):
        at = start + comma.start()
        inside = masked[begin:at]
        if inside.count("(") <= inside.count(")"):
            yield begin, at
            begin = at + 1
    yield begin, len(masked)
