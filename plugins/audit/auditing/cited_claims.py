"""Cited claims: the sentences of a text that cite an entry, each checked against the document of that entry alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from indexing import Document
from indexing.language import sentence_spans
from plugins.audit.auditing.judge import bare_arxiv, bare_doi, letters_of, shared_words
from plugins.audit.references import Reference, ReferenceIndex
from rag import Sentence
from rag.attribution.cited import CitationMark

Check = Callable[[str, Sequence[str]], Sentence]
"""A check of a sentence against documents, named by id: `Pipeline.stream_check` restricted to them."""
SAME = 0.9
"""The least share of words in common that makes a document's title the entry's."""
LONG = 20
"""The least letters of a title that is looked for at the beginning of a document's."""
_SPACES = re.compile(r"\s+")
_BEFORE_STOP = re.compile(r"\s([.,;:!?])")


@dataclass(frozen=True, slots=True)
class CitedClaims:
    """The text of a paper with its marks, the documents (ids) of entries by their number, and the check."""

    text: str
    marks: Sequence[CitationMark]
    documents: Mapping[int, Sequence[str]]
    check: Check


def claims_checked(claims: CitedClaims, references: Sequence[Reference]) -> Iterator[tuple[int, Sentence]]:
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
        said = without_marks(claims.text[start:end], [(m.start - start, min(m.end, end) - start) for m in inside])
        for number in numbers:
            documents = claims.documents.get(number)
            if documents and said:
                yield number, claims.check(said, documents)


def without_marks(sentence: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a sentence without its marks, which are no part of what it claims; a name that is its subject stays."""
    kept, last = [], 0
    for start, end in spans:
        if start >= last:
            mark = sentence[start:end]
            subject = mark.rpartition("(")[0].strip() if mark.endswith(")") else ""
            kept += [sentence[last:start], subject]
            last = end
    return _BEFORE_STOP.sub(r"\1", _SPACES.sub(" ", "".join([*kept, sentence[last:]]))).strip()


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
