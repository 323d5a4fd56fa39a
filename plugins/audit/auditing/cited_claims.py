"""The marks of a text: the entries that they cite, those without an entry, and the sentences that cite, checked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from indexing import Document
from indexing.language import sentence_spans
from plugins.audit.auditing.judge import letters_of, shared_words
from plugins.audit.auditing.sources import bare_arxiv, bare_doi
from plugins.audit.references import Reference, ReferenceIndex
from rag import Sentence
from rag.attribution import CitationMark, MarkKind, without_marks

LEAST = 0.34
"""The least share of a bibliography that the marks must name for the rest to be called never cited."""
MOSTLY = 0.5
"""The least share of the keys of one style that must have an entry for the others to be called missing."""
_COMMA = re.compile(r",\s*(?:1[5-9]|20)\d\d")
_YEARS = re.compile(r"(?:1[5-9]|20)\d\d[a-z]?\s?[^\w\s.,:;&()\[\]]")
"""A year before a dash, or before what a dash was printed as."""
_ET_AL = re.compile(r"\bet\.? al\b", re.IGNORECASE)
Check = Callable[[str, Sequence[str]], Sentence]
"""A check of a sentence against documents, named by id: `Pipeline.stream_check` restricted to them."""
SAME = 0.9
"""The least share of words in common that makes a document's title the entry's."""
LONG = 20
"""The least letters of a title that is looked for at the beginning of a document's."""


def cited_numbers(marks: Sequence[CitationMark], references: Sequence[Reference]) -> frozenset[int] | None:
    """Return the numbers of the entries that the marks name; None where too few are named to tell of the others."""
    index = ReferenceIndex(references)
    found = frozenset(entry.number for mark in marks for entry in index.entries_of(mark))
    return found if found and len(found) >= LEAST * len(references) else None


def missing_marks(marks: Sequence[CitationMark], references: Sequence[Reference]) -> tuple[str, ...]:
    """Return the keys that the text cites and the bibliography lacks, each once, in the order of the text.

    Only of the style in which the bibliography is labelled, and of names and years only in a form ("(Smith, 2020)" or
    "Smith (2020)") in which the paper mostly cites: a name and a year in a sentence, or "[0, 1]", are no citations.
    """
    index = ReferenceIndex(references)
    style = _style_of(references)
    keys = [(_form(mark), mark, key) for mark in marks if mark.kind == style and _is_whole(mark) for key in mark.keys]
    found = {(form, key): bool(index.entries_of_key(mark, key)) for form, mark, key in keys}
    known, all_of = Counter(form for (form, _), there in found.items() if there), Counter(form for form, _ in found)
    forms = {form for form in all_of if known[form] >= max(MOSTLY * all_of[form], 1)}
    lacking = (key for form, _, key in keys if form in forms and not found[form, key])
    return tuple(dict.fromkeys(lacking))


def _style_of(references: Sequence[Reference]) -> MarkKind:
    """Return the style of marks that the labels of a bibliography ask for: most have none where names are cited."""
    labels = [reference.label for reference in references if any(c.isalnum() for c in reference.label)]
    if 2 * len(labels) < len(references):
        return "author-year"
    lettered = sum(any(c.isalpha() for c in label) for label in labels)
    return "label" if 2 * lettered > len(labels) else "number"


def _form(mark: CitationMark) -> str:
    """Return how a mark is written: where its brackets are, and if a comma stands before the year."""
    if mark.kind != "author-year":
        return mark.kind
    if mark.text[0] not in "([":
        return "names before the bracket"
    return "a comma before the year" if _COMMA.search(mark.text) else "no comma before the year"


def _is_whole(mark: CitationMark) -> bool:
    """Return False for names and years that were hardly meant as a mark: a span of years, or lines run together."""
    if mark.kind != "author-year":
        return True
    return not _YEARS.search(mark.text) and len(_ET_AL.findall(mark.text)) <= len(mark.keys)


@dataclass(frozen=True, slots=True)
class CitedClaims:
    """The text of a paper with its marks, the documents (ids) of entries by their number, and the check."""

    text: str
    marks: Sequence[CitationMark]
    documents: Mapping[int, Sequence[str]]
    check: Check


def check_claims(claims: CitedClaims, references: Sequence[Reference]) -> Iterator[tuple[int, Sentence]]:
    """Yield the number of an entry and a sentence that cites it, checked, in the order of the text.

    Sentences whose entries have no document are left out; closing it ends the work after the present sentence.
    """
    index = ReferenceIndex(references)
    marks = sorted(claims.marks, key=lambda mark: mark.start)
    at = 0
    for start, end in sentence_spans(claims.text):
        while at < len(marks) and marks[at].start < start:
            at += 1
        first = at
        while at < len(marks) and marks[at].start < end:
            at += 1
        inside = marks[first:at]
        numbers = dict.fromkeys(entry.number for mark in inside for entry in index.entries_of(mark))
        own = [replace(mark, start=mark.start - start, end=min(mark.end, end) - start) for mark in inside]
        said = without_marks(claims.text[start:end], own, named=True)
        for number in numbers:
            documents = claims.documents.get(number)
            if documents and said:
                yield number, claims.check(said, documents)


def documents_of(references: Sequence[Reference], documents: Sequence[Document]) -> dict[int, tuple[str, ...]]:
    """Return the documents (ids) that are the works of entries, by number: of its title, or named by its identifier.

    An entry that no document fits is left out.
    """
    found: dict[int, tuple[str, ...]] = {}
    for reference in references:
        fitting = tuple(d.id for d in documents if _is_work(reference, d))
        if fitting:
            found[reference.number] = fitting
    return found


def _is_work(reference: Reference, document: Document) -> bool:
    stem = PurePath(document.name).stem
    name = stem.lower()
    arxiv, doi = bare_arxiv(reference.fields), bare_doi(reference.fields)
    if arxiv and (arxiv in name or arxiv.replace("/", "_") in name):
        return True
    if doi and (doi.replace("/", "_") in name or doi.replace("/", "-") in name):
        return True
    title = reference.fields.title
    for printed in (document.title, stem):
        if printed and title and (letters_of(title) == letters_of(printed) or shared_words(title, printed) >= SAME):
            return True
        if len(letters_of(title)) >= LONG and letters_of(printed).startswith(letters_of(title)):
            return True
    return False
