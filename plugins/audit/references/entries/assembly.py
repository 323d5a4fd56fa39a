"""Assembly: the lines of a document -> its bibliography: entries with label, text and places."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from plugins.audit.manuscripts import PagePlace
from plugins.audit.marks import find_marks, with_accents
from plugins.audit.references.entries.cues import UNNAMED
from plugins.audit.references.entries.headings import Span, without_subheadings
from plugins.audit.references.entries.splitting import entry_lines
from plugins.audit.references.fields import fields_of
from plugins.audit.references.lines import TextLine, join_lines, known_words
from plugins.audit.references.types import FieldName, Reference
from rag.attribution import CitationMark

MOST_ENTRIES = 20_000
_RULE = re.compile(r"(?<=\S)\s?_{5}")
"""A rule that is made of underscores ends an entry."""
_DASH = re.compile(r"\[?(?:[-–—_―](?:\s?[-–—_―]){1,11}|[–—―])\??(?P<alone>\s?[\].]|\s(?!and\b|und\b|et\b|&))?")
"""A dash for the authors of the entry before, alone or with others after it."""
MOST_CHARACTERS = 20_000
"""The characters that an entry may have; what is longer was not split, and is cut with a note."""


@dataclass(frozen=True, slots=True)
class Bibliography:
    """The references of a document, in its order, and the marks of its text.

    `body` is the text outside the bibliography, into which the `marks` count. `notes` say what a reader should know of
    how it was read: several lists, recognised pages, entries that were cut.
    """

    references: tuple[Reference, ...]
    marks: tuple[CitationMark, ...] = ()
    notes: tuple[str, ...] = ()
    body: str = ""


def bibliography_of(lines: Sequence[TextLine], spans: Sequence[Span]) -> Bibliography:
    """Return the bibliography of a document from its lines and the places of its lists in them."""
    references: list[Reference] = []
    notes: list[str] = []
    vocabulary = known_words([line.text for span in spans for line in lines[span.start : span.end]])
    for span in spans:
        for label, own in entry_lines(without_subheadings(lines[span.start : span.end])):
            if len(references) == MOST_ENTRIES:
                break
            reference = _reference(len(references) + 1, label, own, vocabulary)
            if reference is not None:
                references.append(_with_authors(reference, references[-1] if references else None))
    if len(references) == MOST_ENTRIES:
        notes.append(f"More than {MOST_ENTRIES:,} entries: only these were read.")
    if len(spans) > 1:
        notes.append(f"{len(spans)} bibliographies in one document: their entries are numbered one after the other.")
    long = [str(r.number) for r in references if len(r.text) >= MOST_CHARACTERS]
    if long:
        notes.append(f"Entries that could not be split and were cut short: {', '.join(long[:20])}.")
    body, superscripts = body_of(lines, spans)
    round_brackets = sum(r.label.startswith("(") for r in references) > 0.5 * len(references)
    marks = find_marks(body, superscripts=superscripts, parenthesised=round_brackets)
    return Bibliography(tuple(references), tuple(marks), tuple(notes), body)


def _reference(number: int, label: str, lines: Sequence[TextLine], vocabulary: frozenset[str]) -> Reference | None:
    pieces = [line.text for line in lines]
    if label and pieces[0].startswith(label):
        pieces[0] = pieces[0][len(label) :]
    text = _RULE.split(with_accents(join_lines(pieces, vocabulary)[:MOST_CHARACTERS]))[0].strip()
    if not any(c.isalnum() for c in text):
        return None
    if not label and UNNAMED.match(text):
        text = f"——— {text}"
    fields = fields_of(text)
    if fields.doi and "doi" not in fields.doubtful and _is_broken(fields.doi, pieces):
        fields = replace(fields, doubtful=(*fields.doubtful, "doi"))
    return Reference(number, text, fields, "" if label in "•▪◦‣·*–—-" else label, places_of(lines))


def _with_authors(reference: Reference, before: Reference | None) -> Reference:
    """Return the entry with the authors of the one before it, as doubtful, where a dash stands for them.

    Dashes are bullets where the first entry of the list has one, too.
    """
    names = reference.fields.authors
    dash = _DASH.match(reference.text)
    if before is None or dash is None or not (dash["alone"] or (names and _DASH.fullmatch(names[0]))):
        return reference
    if _DASH.match(before.text) and "authors" not in before.fields.doubtful:
        return reference
    authors = (*before.fields.authors, *(() if dash["alone"] else names[1:]))
    doubtful: tuple[FieldName, ...] = (*reference.fields.doubtful, "authors")
    return replace(reference, fields=replace(reference.fields, authors=authors, doubtful=doubtful))


def _is_broken(doi: str, lines: Sequence[str]) -> bool:
    """Return True if a DOI runs over the end of a line, or ends at one without a mark and the entry goes on."""
    at = next((i for i, line in enumerate(lines) if doi in line), None)
    return at is None or (at + 1 < len(lines) and lines[at].rstrip().endswith(doi))


def places_of(lines: Sequence[TextLine]) -> tuple[PagePlace, ...]:
    """Return a place for each page or column over which lines run."""
    parts: dict[tuple[int, int], list[TextLine]] = {}
    for line in lines:
        if line.box is not None:
            parts.setdefault((line.page, line.column), []).append(line)
    return tuple(PagePlace(page, tuple(line.box for line in own if line.box)) for (page, _), own in parts.items())


def body_of(lines: Sequence[TextLine], spans: Sequence[Span]) -> tuple[str, list[tuple[int, int]]]:
    """Return the text outside the bibliographies, and the spans of it that are raised; a block is a paragraph."""
    inside = {i for span in spans for i in range(span.start - 1, span.end)}
    parts: list[str] = []
    superscripts: list[tuple[int, int]] = []
    length = 0
    for i, line in enumerate(lines):
        if i in inside:
            continue
        text = line.text
        if parts and parts[-1].endswith("-") and text[:1].islower():
            parts[-1], length = parts[-1][:-1], length - 1
        elif parts:
            gap = "\n\n" if line.new_block else "\n"
            parts.append(gap)
            length += len(gap)
        superscripts += [(length + start, length + end) for start, end in line.raised]
        parts.append(text)
        length += len(text)
    return "".join(parts), superscripts
