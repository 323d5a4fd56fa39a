"""Comparison: a reference and one record, field by field, and how the two belong together."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal

from plugins.audit.auditing.judge.authors import (
    MOST_NAMES,
    AuthorComparison,
    compare_authors,
    is_group,
    marks_of,
    same_person,
)
from plugins.audit.auditing.judge.fields import (
    MAIN,
    compare_arxiv,
    compare_dois,
    compare_titles,
    compare_urls,
    compare_venues,
    compare_years,
    shared_words,
)
from plugins.audit.auditing.judge.normal_form import in_one_spelling, letters_of, without_ligatures, words_of
from plugins.audit.auditing.sources import same_identifier
from plugins.audit.auditing.types import FieldVerdict, Record
from plugins.audit.references import BibliographicFields, FieldName, Reference, entry_of, fields_of

Relation = Literal["agrees", "same work", "same title", "same identifier", "resembles", "another"]
"""How a record belongs to a reference.

Agrees: no field is refused. Same work: the title is the record's and so are authors, or the title is altered and the
authors are its. Same title: nothing of the authors. Same identifier: title and authors are another work's. Resembles:
the authors are the record's, and the title may be a paraphrase; only a reader can tell. Another: anything else.
"""
_NUMERAL = re.compile(r"[0-9]+|[ivx]{1,4}")
LEAST_ALTERED = 0.6
"""The least share of words that an altered title has in common with the title it was made of."""
NEARLY = 0.8
"""The share of common words from which half of the authors are enough."""
RELATED = 0.3
"""The least share of common words of titles that speak of one thing."""
MOST_OF = 0.5
"""The least share of authors that make a work with an altered title the same."""
DOUBTFUL = "read with doubt, so it decides nothing"
MOST_PRINTED = 2_000
"""The characters of an entry in which a record's title and venue are looked for."""
MOST_PARTS, MOST_JOINED = 12, 3
"""The parts between marks among which a venue is looked for, and those that it may run over."""
_MARK = re.compile(r"[.?!:;,()\[\]\"“”«»„‘’]+|\s?[-–—]\s|\b(?:[Ii]n|editors?|eds)\b")
_BEFORE = re.compile(r"(?:[.?!:;,()\[\]\"“”«»„‘’]|\s[-–—]|\b(?:1[5-9]|20)\d\d[a-z]?)\s*$")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_LINKS = frozenset(("and", "et", "al", "und", "ed", "eds", "jr"))
"""The words between names, which belong to none."""
_WORD = re.compile(r"[^\W_]+(?:\+\+|[+#])?|&")
STRICT: tuple[FieldName, ...] = ("title", "authors", "url", "venue")
"""The fields of CiteAudit's S_c."""


@dataclass(frozen=True, slots=True)
class RecordComparison:
    """A record beside a reference: the verdicts on the fields, how the two belong together, and how alike they are.

    `cited` are the fields of the entry that were compared: read round the record's title where it prints that.
    """

    record: Record
    fields: tuple[FieldVerdict, ...]
    relation: Relation
    likeness: float
    cited: BibliographicFields

    @property
    def strict(self) -> bool:
        """CiteAudit's S_c: title, authors, address and venue are the same characters, or are missing on both sides."""
        return all(v.strict or not (v.cited or v.found) for v in self.fields if v.field in STRICT)

    @property
    def differing_fields(self) -> tuple[FieldVerdict, ...]:
        """The fields that differ."""
        return tuple(v for v in self.fields if v.agrees is False)

    def accepting(self, field: FieldName, note: str) -> RecordComparison:
        """Return the comparison with one refused field accepted for a reason."""
        fields = tuple(replace(v, agrees=True, note=note) if v.field == field else v for v in self.fields)
        agrees = all(v.agrees is not False for v in fields) and self.relation == "same work"
        return replace(self, fields=fields, relation="agrees" if agrees else self.relation)


def compare(cited: BibliographicFields, record: Record) -> RecordComparison:
    """Return how a record compares with what is cited."""
    found = record.fields
    title, authors = compare_titles(cited.title, found.title), compare_authors(cited, found)
    named_by = authors.verdict
    if named_by.agrees is False and same_identifier(cited, found) and (is_group(cited) or is_group(found)):
        named_by = replace(named_by, agrees=None, note="an organisation stands for its people")
    verdicts = (
        title.verdict,
        named_by,
        compare_venues(cited.venue, found.venue),
        compare_years(cited, found),
        compare_dois(cited, found),
        compare_arxiv(cited, found),
        compare_urls(cited, found),
    )
    fields = tuple(_without_doubt(v, cited) for v in verdicts)
    relation = _relation(cited, found, fields, title.share, authors)
    balance = sum(v.agrees is True for v in fields) - sum(v.agrees is False for v in fields)
    name_share = authors.near / max(1, len(cited.authors), len(found.authors))
    return RecordComparison(record, fields, relation, 2 * title.share + name_share + 0.1 * balance, cited)


def _without_doubt(verdict: FieldVerdict, cited: BibliographicFields) -> FieldVerdict:
    """Return the verdict on a field; one that was read with doubt refuses nothing.

    Title and authors tell works apart, so theirs stay, and `judge` takes them for no error.
    """
    if verdict.agrees is not False or verdict.field not in cited.doubtful or verdict.field in ("title", "authors"):
        return verdict
    return replace(verdict, agrees=None, note=f"{DOUBTFUL} ({verdict.note})")


def _relation(
    cited: BibliographicFields,
    found: BibliographicFields,
    fields: tuple[FieldVerdict, ...],
    share: float,
    authors: AuthorComparison,
) -> Relation:
    title, names = fields[0], fields[1]
    identified = same_identifier(cited, found)
    if title.agrees is None:
        whole = identified and all(v.agrees is not False for v in fields)
        return "agrees" if whole else "same work" if identified and authors.near else "another"
    if title.agrees:
        if all(v.agrees is not False for v in fields):
            return "agrees"
        return "same work" if authors.near or names.agrees is None or identified else "same title"
    most = authors.near >= MOST_OF * max(1, min(len(cited.authors), len(found.authors)))
    altered = (names.agrees and share >= LEAST_ALTERED) or (most and share >= NEARLY)
    altered = altered and not _sibling(cited.title, found.title, fields)
    if altered or (identified and (names.agrees or share >= LEAST_ALTERED or (authors.near and share >= RELATED))):
        return "same work"
    if identified:
        return "same identifier"
    return "resembles" if names.agrees and _telling(cited, found) else "another"


def _sibling(cited: str, found: str, fields: tuple[FieldVerdict, ...]) -> bool:
    """Return True where titles that are alike are two works': another year, another identifier, or another number."""
    numbers = [{w for w in words_of(title) if _NUMERAL.fullmatch(w)} for title in (cited, found)]
    return numbers[0] != numbers[1] or any(v.agrees is False for v in fields if v.field in ("year", "doi", "arxiv"))


def _telling(cited: BibliographicFields, found: BibliographicFields) -> bool:
    """Return True where a list of three or more authors, all shared, or a word in the titles speaks for one work."""
    return min(len(cited.authors), len(found.authors)) >= 3 or shared_words(cited.title, found.title) >= RELATED


def compare_entry(reference: Reference, record: Record) -> RecordComparison:
    """Return how a record compares with an entry: its fields as they were read, or as its text has them.

    Where the entry prints the record's title between marks, that is its title, whatever was read, and the other fields
    are read again round it. This is taken if the authors are the record's too. Any other field that is refused is
    accepted if the text outside of the title has the record's.
    """
    entry = entry_of(reference.text)
    fields = _with_doi(entry, reference.fields, record)
    comparison = compare(fields, record)
    if "title" in fields.doubtful or letters_of(fields.title) != letters_of(record.fields.title):
        comparison = _read_again(entry, fields, comparison)
    for verdict in comparison.differing_fields if entry else ():
        if verdict.field in _PRINTED and _PRINTED[verdict.field](*_around_title(entry, comparison.cited), comparison):
            comparison = comparison.accepting(verdict.field, "the entry prints it so")
    return comparison


def _with_doi(entry: str, fields: BibliographicFields, record: Record) -> BibliographicFields:
    """Return the fields with the record's DOI, if it was read with doubt or not at all and the entry prints it."""
    doi = record.fields.doi
    if not doi or (fields.doi and "doi" not in fields.doubtful) or doi.lower() not in "".join(entry.lower().split()):
        return fields
    return replace(fields, doi=doi, doubtful=tuple(name for name in fields.doubtful if name != "doi"))


def _read_again(entry: str, fields: BibliographicFields, first: RecordComparison) -> RecordComparison:
    """Return the comparison with the fields that are read round the record's title, if the entry prints it."""
    title = first.record.fields.title
    place = title_place(entry, title, first.record.fields.venue)
    if place is None:
        return first
    fresh = fields_of(entry, place)
    own: tuple[FieldName, ...] = tuple(name for name in fields.doubtful if name in ("doi", "arxiv"))
    doubtful: tuple[FieldName, ...] = tuple(name for name in fresh.doubtful if name not in ("title", "doi", "arxiv"))
    if not any(map(letters_of, fresh.authors[:1])):  # a dash stands for the authors of the entry before
        fresh = replace(fresh, authors=fields.authors, et_al=fields.et_al)
        doubtful += ("authors",)
    cited = replace(fields, title=entry[slice(*place)], authors=fresh.authors, et_al=fresh.et_al, venue=fresh.venue)
    again = compare(replace(cited, year=fresh.year or fields.year, doubtful=(*doubtful, *own)), first.record)
    sure = again.relation == "agrees" or (again.relation == "same work" and len(words_of(title)) >= MAIN)
    return again if sure else first


def _around_title(entry: str, cited: BibliographicFields) -> tuple[str, str]:
    """Return the text before and behind the title."""
    before, _, behind = entry[:MOST_PRINTED].partition(cited.title) if cited.title else ("", "", entry[:MOST_PRINTED])
    return (before, behind) if behind else ("", before)


def _prints_venue(_: str, behind: str, comparison: RecordComparison) -> bool:
    """Return True if a part of the text behind the title stands for the record's venue."""
    bounds = [(0, 0), *(match.span() for match in _MARK.finditer(behind)), (len(behind), len(behind))]
    parts = (
        behind[bounds[first][1] : bounds[last][0]]
        for first in range(min(len(bounds) - 1, MOST_PARTS))
        for last in range(first + 1, min(len(bounds), first + MOST_JOINED + 1))
    )
    return any(compare_venues(part, comparison.record.fields.venue).agrees for part in parts)


def _prints_year(before: str, behind: str, comparison: RecordComparison) -> bool:
    """Return True if the record's year is one of those in the text."""
    return comparison.record.fields.year[:4] in (match[0] for match in _YEAR.finditer(f"{before} {behind}"))


def _prints_authors(before: str, behind: str, comparison: RecordComparison) -> bool:
    """Return True if names were parted wrongly: the text has all families of the record, and no name of others."""
    fields, theirs = comparison.record.fields, comparison.record.fields.authors[:MOST_NAMES]
    extra = [name for name in comparison.cited.authors if not any(same_person(name, other) for other in theirs)]
    missing = [name for name in theirs if not any(same_person(name, other) for other in comparison.cited.authors)]
    if len(comparison.cited.authors) == len(theirs):
        return False
    known_names = [name for name in theirs if name not in missing]
    printed_words = _words(before if letters_of(before) else behind) - _words(" ".join(known_names))
    own = _words(" ".join((*theirs, fields.title, fields.venue))) | _LINKS
    return all(printed_words & set(marks_of(name)) for name in missing) and _words(" ".join(extra)) <= own


def _words(text: str) -> set[str]:
    """Return the words of more than one letter in one spelling, with their ligatures and without."""
    return {form(word) for word in words_of(text) if len(word) > 1 for form in (in_one_spelling, without_ligatures)}


_PRINTED: Mapping[FieldName, Callable[[str, str, RecordComparison], bool]] = {
    "authors": _prints_authors,
    "venue": _prints_venue,
    "year": _prints_year,
}
"""The fields that the text may have though they were misread."""


def title_place(entry: str, title: str, venue: str = "") -> tuple[int, int] | None:
    """Return the characters of an entry in which a title stands by itself: between marks, or before the venue.

    Case, accents, hyphens, blanks and lost ligatures make no difference.
    """
    words = [(m.start(), m.end(), "".join(words_of(m[0]))) for m in _WORD.finditer(entry[:MOST_PRINTED])]
    plain, target = "".join(words_of(title)), letters_of(title)
    lengths = list(accumulate((len(letters) for *_, letters in words), initial=0))
    letters = "".join(letters for *_, letters in words)
    slack = 2 + len(plain) // 12
    for first in range(len(words) if target else 0):
        if not letters.startswith(plain[:1], lengths[first]) or not _opens(entry[: words[first][0]]):
            continue
        last = bisect_left(lengths, lengths[first] + len(plain) - slack)
        while last < len(lengths) and lengths[last] <= lengths[first] + len(plain) + slack:
            if without_ligatures(letters[lengths[first] : lengths[last]]) == target:
                start, end = words[first][0], words[last - 1][1]
                tail = title[len(title.rstrip("?!)")) :]
                end += len(tail) if tail and entry.startswith(tail, end) else 0
                return (start, end) if _closes(entry[end:], venue) else None
            last += 1
    return None


def _opens(before: str) -> bool:
    """Return True if what stands before a title ends in a mark, or with nothing else."""
    return not before.strip() or _BEFORE.search(before[-12:]) is not None


def _closes(behind: str, venue: str) -> bool:
    """Return True if what stands behind a title begins with a mark, "in", or the venue, or is nothing else."""
    target = letters_of(venue)
    return (
        not behind.strip()
        or _MARK.match(behind.lstrip()) is not None
        or (bool(target) and letters_of(behind[: 2 * len(venue)]).startswith(target))
    )
