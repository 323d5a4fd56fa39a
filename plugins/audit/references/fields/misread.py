"""Misread titles: a title in quotes is the quotes', a journal before its volume is none, and a title is no name."""

from __future__ import annotations

import re
from collections.abc import Sequence

Range = tuple[int, int]
"""The first character, and the one behind the last."""
_QUOTED = re.compile(r"(?:^|(?<=[\s,.:;)]))(?:[“„”]([^“„”]{4,400}?)[”“]|\"([^\"]{4,400}?)\"|«([^«»]{4,400}?)»)")
"""A run in double quotes; the comma or the stop of the entry is inside or behind one that is a title."""
_INSIDE = re.compile(r"[,.]$")
_JOURNAL = re.compile(
    r"(?:(?:1[5-9]|20)\d\d[a-z]?\s|[,:]\s)(?P<name>(?:[^\W\d_a-z][^\W\d_]*+\.?\s?|(?:and|of|für|di)\s){1,9}?)"
    r",?\s(?:[A-Z]+)?\d{1,4}[A-Z]?\s?(?:\((?:1[5-9]|20)\d\d\)|\s)[,\s]*(?:pp?\.\s?)?[A-Z]?\d"
)
"""A journal behind a year or a comma, its volume, and the year in brackets or the page."""
_WORD = re.compile(r"[^\W\d_]{2,}(?!\.|[^\W\d_])")
"""A word of a journal's name that is not shortened."""
_INITIAL = re.compile(r"(?<![^\W_])[^\W\d_a-z]\.")
_INITIALS_FIRST = re.compile(r"(?:[^\W\d_a-z]\.[\s-]?){1,4}(?=[^\W\d_]{2})")
_PUBLISHER = re.compile(r"(?:[^\W\d_a-z][\w.&-]*+\s?){1,4},\s(?:1[5-9]|20)\d\d\b")
_MOST_WHOLE_WORDS = 2
_GROUP = re.compile(r"\s*([^,;]{3,120}?)[.,]?\s\(?(?:1[5-9]|20)\d\d[a-z]?\)?[.,:]\s")
"""Words without a comma before the year: the name of one person, of two, or of a group."""
_SENTENCE = re.compile(r"(?<=[^\W_]{2})[.?!]\s")
_NO_NAME = re.compile(r"(?:[\s,&.)]|and\b|et al\b|\(?eds?\b)*", re.IGNORECASE)
_SERIES = re.compile(r",\s(?:ser|series)[.:]?\s$", re.IGNORECASE)


def quoted_title(masked: str, names: Sequence[Range]) -> Range | None:
    """Return the run in quotes that follows the names; one inside a title has a comma or a stop only by chance."""
    found = _QUOTED.search(masked[:1200])
    if found is None:
        return None
    start, end = next(found.span(group) for group in (1, 2, 3) if found[group] is not None)
    before = masked[: found.start()].rstrip(" ,.:;")
    closed = _INSIDE.search(masked, start, end) or masked[found.end() : found.end() + 1] == ","
    named = not before or any(abs(len(before) - stop) <= 1 for _, stop in names) or before.endswith((")", "al"))
    return (start, end) if closed and (named or _year_behind(before)) else None


def _year_behind(text: str) -> bool:
    return re.search(r"(?:1[5-9]|20)\d\d[a-z]?$", text) is not None


def journal_without_title(masked: str, names: Sequence[Range], title: Range) -> Range | None:
    """Return the name of the journal that follows names and year, or of which a title was read: physics cites none."""
    for found in _JOURNAL.finditer(masked):
        start, end = found.span("name")
        whole = [word for word in _WORD.findall(found["name"]) if word not in ("and", "of", "für", "di")]
        most = 1 if "." in found["name"] else _MOST_WHOLE_WORDS
        behind = max((stop for _, stop in names if stop <= found.start() + 1), default=-1)
        first = behind >= 0 and not masked[behind : found.start()].strip(" ,.").removesuffix("et al")
        if len(whole) <= most and (first or (found.start() <= title[0] and title[1] <= end + 1)):
            return start, end
    return None


def names_that_are_title(masked: str, names: Sequence[Range], title: Range) -> int | None:
    """Return which name a title begins with that was read as names, as no initial stands in it: None for none.

    So it is in "M. Reed, Tides and Terns. Quay Press, 2001", where a publisher was read as the title, or what stands
    behind the title's colon or its "and", or its series.
    """
    if len(names) < 2 or not _INITIALS_FIRST.match(masked, *names[0]):
        return None
    last = max(n for n, name in enumerate(names) if n == 0 or _INITIAL.search(masked, *name))
    between = masked[names[-1][1] : title[0]]
    publisher = between.strip() == "." and _PUBLISHER.match(masked, title[0]) is not None
    joins = publisher or between.strip() == ":" or _SERIES.fullmatch(between) or masked.startswith("and ", title[0])
    return last + 1 if last + 1 < len(names) and joins and "," in masked[names[last][1] : names[last + 1][0]] else None


def group_before_year(masked: str, names: Sequence[Range], title: Range | None) -> Range | None:
    """Return the group that an entry begins with, if a part of it was read as a person, or all of it as the title."""
    found = _GROUP.match(masked)
    if found is None or _SENTENCE.search(found[1]):
        return None
    start, end = found.span(1)
    if not names:
        return (start, end) if title and title[0] < end else None
    rest = masked[names[-1][1] : end]
    cut = names[-1][1] < end and not _NO_NAME.fullmatch(rest)
    return (start, end) if cut or "(" in masked[names[0][0] : names[-1][1]] else None
