"""Comparison: a reference and one record, field by field, and how the two belong together."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from plugins.audit.auditing.judge.authors import AuthorComparison, compare_authors, is_group
from plugins.audit.auditing.judge.fields import (
    MAIN,
    compare_arxiv,
    compare_dois,
    compare_titles,
    compare_urls,
    compare_years,
    shared_words,
)
from plugins.audit.auditing.judge.normal_form import letters_of, words_of
from plugins.audit.auditing.judge.venues import compare_venues
from plugins.audit.auditing.sources import same_identifier
from plugins.audit.auditing.types import FieldVerdict, Record
from plugins.audit.references import BibliographicFields, FieldName, Reference

Relation = Literal["agrees", "same work", "same title", "same identifier", "resembles", "another"]
"""How a record belongs to a reference.

Agrees: no field is refused. Same work: the title is the record's and so are authors, or the title is altered and the
authors are its. Same title: nothing of the authors. Same identifier: title and authors are another work's. Resembles:
the authors are the record's, and the title may be a paraphrase; only a reader can tell. Another: anything else.
"""
_NUMERAL = re.compile(r"[0-9]+|[ivx]{1,4}")
ALTERED = 0.6
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
MOST_PARTS = 12
"""The parts between marks of which a title may consist."""
_MARK = re.compile(r"[.?!:;,()\[\]\"“”«»„]+|\s[-–—]\s|\b(?:[Ii]n|editors?|eds)\b")
STRICT: tuple[FieldName, ...] = ("title", "authors", "url", "venue")
"""The fields of CiteAudit's S_c."""


@dataclass(frozen=True, slots=True)
class RecordComparison:
    """A record beside a reference: the verdicts on the fields, how the two belong together, and how alike they are."""

    record: Record
    fields: tuple[FieldVerdict, ...]
    relation: Relation
    likeness: float

    @property
    def strict(self) -> bool:
        """CiteAudit's S_c: title, authors, address and venue are the same characters, or are missing on both sides."""
        return all(v.strict or not (v.cited or v.found) for v in self.fields if v.field in STRICT)

    @property
    def refused(self) -> tuple[FieldVerdict, ...]:
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
    agreed = sum(v.agrees is True for v in fields) - sum(v.agrees is False for v in fields)
    named = authors.near / max(1, len(cited.authors), len(found.authors))
    return RecordComparison(record, fields, relation, 2 * title.share + named + 0.1 * agreed)


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
    altered = (names.agrees and share >= ALTERED) or (most and share >= NEARLY)
    altered = altered and not _sibling(cited.title, found.title, fields)
    if altered or (identified and (names.agrees or share >= ALTERED or (authors.near and share >= RELATED))):
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


def compare_printed(reference: Reference, record: Record) -> RecordComparison:
    """Return how a record compares. Where the entry prints the record's title or venue between marks, that is cited.

    This is so of a title that was read with doubt only, and of a venue behind the title.
    """
    first = compare(reference.fields, record)
    refused = {verdict.field for verdict in first.refused}
    fields, mended = reference.fields, dict[FieldName, str]()
    if "title" in refused & set(fields.doubtful) and _prints_title(reference.text, record.fields.title):
        mended["title"] = fields.title
        fields = replace(fields, title=record.fields.title)
    behind = reference.text[reference.text.find(fields.title) + len(fields.title) :] if fields.title else ""
    if "venue" in refused and _prints(behind, record.fields.venue):
        mended["venue"] = fields.venue
        fields = replace(fields, venue=record.fields.venue)
    if not mended:
        return first
    found = compare(fields, record)
    shown = tuple(
        replace(v, cited=mended[v.field], strict=False, note="the entry prints it so")
        if v.field in mended and v.agrees
        else v
        for v in found.fields
    )
    return replace(found, fields=shown)


def _prints_title(text: str, title: str) -> bool:
    return len(words_of(title)) >= MAIN and _prints(text, title)


def _prints(text: str, value: str) -> bool:
    """Return True if a text has a value between two of its marks."""
    wanted = letters_of(value)
    parts = _parts(text[:MOST_PRINTED])
    for start in range(len(parts) if wanted else 0):
        whole = ""
        for part in parts[start : start + MOST_PARTS]:
            whole += part
            if whole == wanted:
                return True
            if not wanted.startswith(whole):
                break
    return False


@lru_cache(1024)
def _parts(text: str) -> tuple[str, ...]:
    """Return the letters between the marks of a text."""
    return tuple(filter(None, map(letters_of, _MARK.split(text))))
