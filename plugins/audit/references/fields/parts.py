"""Parts: where title, venue and year of an entry begin and end, after its punctuation; the tagger cuts some short."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from plugins.audit.references.fields.commas import title_by_commas
from plugins.audit.references.fields.identifiers import MARKS
from plugins.audit.references.fields.misread import (
    group_before_year,
    journal_without_title,
    names_that_are_title,
    quoted_title,
)
from plugins.audit.references.fields.tokens import MONTH, EntryToken

Range = tuple[int, int]
"""The first character, and the one behind the last."""
_STOP = re.compile(r"(?<!\b[A-Z])(?<!\b[A-Z][a-z])(?<!\b[b-df-hj-np-tv-xz]{2})[.?!]['\"”’»]?(?=\s+[^\sa-z])|[.?!]?$")
"""The end of a sentence: no initial and no short word ("St.", "Dr.", "vs.") before it, no small letter behind it."""
_STOP_OR_YEAR = re.compile(rf"{_STOP.pattern}|\s\((?:1[5-9]|20)\d\d\)")
_YEAR = re.compile(r"[.,]?\s\(?(?:1[5-9]|20)\d\d[a-z]?\)?[.,:]\s")
_YEAR_LAST = re.compile(r"[,.;]?\s\(?((?:1[5-9]|20)\d\d[a-z]?)\)?$")
_MONTH_LAST = re.compile(r",\s([^\W\d_]{3,9})\.?$")
_DECIMALS = re.compile(r"\d\.\d+(?=[,.]?\s)")
_INVERTED = re.compile(r"[^,]{1,60},\s(?:[^\W\d_a-z]\.[\s-]?){1,4}(?<=\s)(?=\w)")
"""A name with its initials behind the comma, when more words follow."""
_SUFFIX = re.compile(r"(?:Jr|Sr|I{2,3}|IV)\b")
_WHOLE_WORD = re.compile(r"[^\W_a-z](?:[^\W\d_]|[-'’])+")
_LOST = re.compile(r"(?!\b(?:and|et|al|eds?|hrsg|in)\b)\b[^\W\d_]{3,}")
_DETAIL = re.compile(
    r",\s(?:\d|v(?:ol|olume)?\b|chap|pp?\b|no\b|ser|ed|(?:jan|feb|mar|apr|ma[iy]|ju[ln]|aug|sep|oct|nov|dec))",
    re.IGNORECASE,
)
"""What follows a whole title behind a comma: a year, a month, a volume, a chapter."""
_REST = re.compile(r"(?:\s[^\W\d_][\w'’-]*){1,3}(?=[,.;:?!])")
_EDITORS = re.compile(r"(?:\(\s?(?:eds?\.?|editors?|hrsg\.?)\s?\)|\b(?:eds?\.|editors?|hrsg\.))[,:]?\s", re.IGNORECASE)
_BREAK = re.compile(r"[,.;:]\s|[,.;:]?$")
_LEAST_LETTERS = 3


@dataclass(frozen=True, slots=True)
class PrintedParts:
    """The ranges of names, title, venue and year in an entry, None for what it lacks.

    `year` is one that ended another part, empty where that was not so. `doubtful` is True where it is not clear which
    words belong to the title.
    """

    names: Sequence[Range]
    title: Range | None
    venue: Range | None
    year: Range = (0, 0)
    doubtful: bool = False


def printed_parts(
    masked: str, tokens: Sequence[EntryToken], labels: Sequence[str], spans: Mapping[str, Sequence[Range]]
) -> PrintedParts:
    """Return the parts that the labels name, mended: a title goes on over its colon, and holds no venue and no year."""
    names, titles = list(spans.get("name", [])), spans.get("title", [])
    venues = spans.get("venue", [])
    dated = any(label in ("year before", "year") for label in labels)
    if group := group_before_year(masked, names, titles[0] if titles else None):
        names = [group]
        titles = [title for title in titles if title[0] > group[1]] or _behind_year(masked, group[1])
    years = [token.start for token, label in zip(tokens, labels, strict=True) if label == "year before"]
    if found := _by_punctuation(masked, names, titles, venues, years):
        return found if dated else _without_year(masked, found)
    if not titles:
        return PrintedParts(names, None, venues[0] if venues else None)
    if journal := journal_without_title(masked, names, titles[0]):
        return PrintedParts(names, None, journal)
    names, start = _from_its_colon(masked, names, titles[0], [*zip(tokens, labels, strict=True)])
    if start == titles[0][0]:
        names, start = _from_its_name(masked, names, start)
    first = names_that_are_title(masked, names, titles[0])
    if first is not None and (not venues or masked[names[-1][1] : titles[0][0]].strip() != "."):
        found = _named(masked, names, first, titles[0], venues)
        return found if found.venue else _without_venue(masked, found)
    end, certain = _over_its_bracket(masked, start, *_to_its_end(masked, titles[0]))
    following = [(a, _to_a_mark(masked, b)) for a, b in venues if a >= end]
    end, venue = _over_its_question(masked, start, end, _behind_editors(masked, following))
    certain = certain and end <= titles[0][1] + 1 and not any(c in MARKS for c in masked[start:end])
    certain = certain and not _is_cut_at_a_comma(masked, names, start, end)
    if (month := _MONTH_LAST.search(masked, start, end)) and month[1].lower() in MONTH:
        end = month.start()
    found = PrintedParts(names, (start, end), venue, doubtful=not certain or start != titles[0][0])
    if venue is None:
        found = _without_venue(masked, found)
    return found if dated else _without_year(masked, found)


def _by_punctuation(
    masked: str, names: Sequence[Range], titles: Sequence[Range], venues: Sequence[Range], years: Sequence[int]
) -> PrintedParts | None:
    """Return the parts where quotes, or the commas behind a year, say what the title is; None where they do not."""
    if title := quoted_title(masked, names):
        own = [name for name in names if name[1] <= title[0]]
        return PrintedParts(own, title, _behind_editors(masked, [v for v in venues if v[0] >= title[1]]))
    found = title_by_commas(masked)
    if found is None:
        return None
    title, source, certain = found
    opens = any(title[0] - 8 <= year < title[0] for year in years)
    if not opens and not any(abs(start - title[0]) <= 2 for start, _ in titles):
        return None
    own = [name for name in names if name[1] <= title[0]]
    return PrintedParts(own, title, _source_of(masked, source, venues), doubtful=not certain)


def _behind_year(masked: str, at: int) -> list[Range]:
    """Return the sentence behind the year that stands at a place."""
    year = _YEAR.match(masked, at)
    stop = _STOP.search(masked, year.end()) if year else None
    return [(year.end(), stop.start())] if year and stop else []


def _source_of(masked: str, start: int, venues: Sequence[Range]) -> Range | None:
    """Return the venue behind a title that a comma ended: its part, or what was read as one in a book."""
    while masked[start : start + 1].isspace():
        start += 1
    later = [venue for venue in venues if venue[0] >= start]
    if not masked[start : start + 1].isupper():
        return _behind_editors(masked, later)
    comma = masked.find(",", start)
    return start, comma if comma > 0 else len(masked)


def _named(masked: str, names: Sequence[Range], first: int, title: Range, venues: Sequence[Range]) -> PrintedParts:
    """Return the parts where names from the `first` on are a title, whose publisher or subtitle was read as one."""
    start, end = names[first][0], names[-1][1]
    if masked[end : title[0]].strip() == ":" or masked.startswith("and ", title[0]):
        return PrintedParts(names[:first], (start, title[1]), venues[0] if venues else None, doubtful=True)
    return PrintedParts(names[:first], (start, end), venues[0] if venues else title, doubtful=True)


def _from_its_colon(
    masked: str, names: list[Range], title: Range, labelled: Sequence[tuple[EntryToken, str]]
) -> tuple[list[Range], int]:
    """Return the names, and where a title begins that was read from behind its colon: what is before is no name."""
    start = title[0]
    if not masked[:start].rstrip().endswith(":"):
        return names, start
    if names and masked[names[-1][1] : start].strip() == ":" and (own := _INVERTED.match(masked, *names[-1])):
        return [*names[:-1], (names[-1][0], own.end())], own.end()
    for token, label in reversed(labelled):
        if token.start >= title[0]:
            continue
        if label != "before" or (token.shape in ".?!" and masked[token.end : token.end + 1].isspace()):
            break
        start = token.start
    words = masked[start : title[0]]
    whole = words[:1].isalnum() and sum(c.isalpha() for c in words) >= _LEAST_LETTERS
    return names, start if whole and words.count("(") == words.count(")") else title[0]


def _from_its_name(masked: str, names: list[Range], start: int) -> tuple[list[Range], int]:
    """Return the names, and where a title begins of which the first words were read as the end of a name."""
    own = _INVERTED.match(masked, *names[-1]) if names and names[-1][1] <= start else None
    if own is None or _SUFFIX.match(masked, own.end()) or not _WHOLE_WORD.match(masked, own.end()):
        return names, start
    return [*names[:-1], (names[-1][0], own.end())], own.end()


def _is_cut_at_a_comma(masked: str, names: Sequence[Range], start: int, end: int) -> bool:
    """Return True if words stand between the names and a title, or a title behind a full stop ends at a comma."""
    between = masked[names[-1][1] : start] if names and names[-1][1] <= start else ""
    words = between.endswith(", ") and _LOST.search(between) is not None
    stopped = masked[:start].rstrip()[-1:] == "." and masked[end : end + 2] == ", "
    return words or (stopped and _DETAIL.match(masked, end) is None)


def _to_its_end(masked: str, title: Range) -> tuple[int, bool]:
    """Return where a title ends, and True if that is certain: with its closing quote, or where it was read to end.

    Where it was cut at a colon it goes on to the end of its sentence, where it was cut between words to the next mark.
    """
    start, end = title
    if decimals := _DECIMALS.match(masked, end - 1):
        return decimals.end(), True
    if masked[:start].rstrip().endswith(":") and masked[end : end + 1] == ",":
        stop = _STOP_OR_YEAR.search(masked, end)
        return (stop.start() if stop else end), False
    colon = end - masked[:end].endswith(":")
    if masked[colon : colon + 1] != ":" or not masked[colon + 1 : colon + 2].isspace():
        marked = _to_a_mark(masked, end)
        return marked, marked == end and not _is_between_words(masked, end)
    stop = _STOP.search(masked, colon + 1)
    rest = masked[colon + 1 : stop.start()] if stop else ""
    if stop is None or sum(c.isalpha() for c in rest) < _LEAST_LETTERS or any(c in MARKS for c in rest):
        return end, False
    return stop.start() + stop.group().startswith(("?", "!")), False


def _over_its_bracket(masked: str, start: int, end: int, certain: bool) -> tuple[int, bool]:
    """Return the end of a title, behind a bracket that it opens; one with a colon has the place and the publisher."""
    opened = masked.rfind("(", start, end)
    closed = masked.find(")", opened)
    whole = opened < 0 or closed < end or ": " in masked[opened:closed]
    return (end, certain) if whole else (closed + 1, False)


def _behind_editors(masked: str, venues: Sequence[Range]) -> Range | None:
    """Return the first venue; where names of editors were read as one, what stands behind them."""
    if not venues:
        return None
    start, end = venues[0]
    mark = _EDITORS.search(masked, end, end + 400)
    stop = _STOP.search(masked, end, mark.start()) if mark else None
    if mark is None or (stop and stop.group()) or any(c.isdigit() for c in masked[end : mark.end() + 1]):
        return start, end  # "2nd ed., 2019" is an edition
    later = next((venue for venue in venues if venue[0] >= mark.end()), None)
    behind = _BREAK.search(masked, mark.end())
    return later or (mark.end(), behind.start() if behind else len(masked))


def _over_its_question(masked: str, start: int, end: int, venue: Range | None) -> tuple[int, Range | None]:
    """Return the end of a title and its venue; a question goes on to the comma where commas part the entry."""
    apart = masked[:start].rstrip().endswith(",") and masked[max(0, end - 1) : end + 1].rstrip().endswith("?")
    if not apart or venue is None or masked[end : venue[0]].strip(" ?"):
        return end, venue
    comma = masked.rfind(", ", *venue)
    return (comma, (comma + 2, venue[1])) if comma > 0 else (end, venue)


def _to_a_mark(masked: str, end: int) -> int:
    """Return where a part ends that was cut between words: at the next mark, if that is not far."""
    rest = _REST.match(masked, end) if _is_between_words(masked, end) else None
    return rest.end() if rest else end


def _is_between_words(masked: str, at: int) -> bool:
    """Return True if words stand on both sides of a place, and no mark."""
    behind = masked[at : at + 2]
    return len(behind) == 2 and behind[0].isspace() and behind[1].isalpha() and masked[at - 1].isalpha()


def _without_venue(masked: str, found: PrintedParts) -> PrintedParts:
    """Return the parts of an entry in which no venue was read: it may be the last sentence of the title."""
    start, end = found.title or (0, 0)
    stop = _STOP.search(masked, start, end)
    if stop is None or not stop.group().startswith(".") or stop.end() >= end:
        return found
    if masked.count("(", start, stop.start()) > masked.count(")", start, stop.start()):
        return found
    rest = masked[stop.end() : end]
    if sum(c.isalpha() for c in rest) < _LEAST_LETTERS:
        return replace(found, doubtful=True)
    return replace(found, title=(start, stop.start()), venue=(stop.end(), end), doubtful=True)


def _without_year(masked: str, found: PrintedParts) -> PrintedParts:
    """Return the parts with the year that ends the venue, or the title, on its own, if the entry has no other."""
    for part in filter(None, (found.venue, found.title)):
        start, end = part
        year = _YEAR_LAST.search(masked, start, end)
        if year is None or year.start() == start or masked[end : end + 1] not in ",.;:)":
            continue
        shorter = (start, year.start())
        if part == found.venue:
            return replace(found, venue=shorter, year=year.span(1))
        if masked[year.start()] in ",.;":
            return replace(found, title=shorter, year=year.span(1))
    return found
