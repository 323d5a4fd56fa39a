"""The cited documents as PDFs with real annotations, for people who have only a PDF reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from indexing import Mark, annotate_document
from ui.cited import cited_pages
from ui.exported import MARK
from ui.sanitize import clean
from ui.wording import KIND_NAMES, VERDICT_NAMES

if TYPE_CHECKING:
    from indexing import Collection
    from rag import Answer, Citation


def marks_of(answer: Answer) -> Mapping[str, Sequence[Mark]]:
    """The marks of an answer by document, documents and pages in its order: one for each shown citation.

    Lines and cells are highlighted; an element of which no line is known is framed.
    """
    marks: dict[str, list[Mark]] = {}
    for (doc_id, page), items in cited_pages(answer).items():
        for number, citation in items:
            boxes = citation.boxes or (citation.bbox,)
            text = _note(answer, number, citation)
            mark = Mark(page, boxes, text, f"[{number}]", highlight=bool(citation.boxes))
            marks.setdefault(doc_id, []).append(mark)
    return marks


def _note(answer: Answer, number: int, citation: Citation) -> str:
    """What the annotation says: its number, and each sentence that rests on this place with its verdict."""
    proven = [s for s in answer.sentences if s.verdict != "unsupported" and citation in s.citations]
    said = [f"{clean(s.text)} ({VERDICT_NAMES[s.verdict]} by this {_kind(citation)})" for s in proven]
    return "\n".join([f"[{number}] {said[0]}", *said[1:], f"Question: {clean(answer.question)}"])


def _kind(citation: Citation) -> str:
    return KIND_NAMES.get(citation.kind, citation.kind)


def cited_pdf(collection: Collection, doc_id: str, marks: Sequence[Mark]) -> bytes:
    """One document with its marks. Raises DocumentMissing, or the FileError that the document's process ran into.

    After the end of the PDF, where readers do not mind it, stands the line that tells our files.
    """
    return annotate_document(collection, doc_id, marks) + f"\n% {MARK}\n".encode()
