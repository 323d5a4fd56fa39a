"""The cited documents as PDFs with real annotations, for people who have only a PDF reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from configs import UNCONFIRMED
from indexing import BBox, Mark, MarkedPdf, annotate_document
from ui.export.sources import MARK
from ui.show import KIND_NAMES, VERDICT_NAMES, cited_pages, clean, why

if TYPE_CHECKING:
    from indexing import Collection
    from rag import Answer, Citation

CORNER = BBox(0.02, 0.015, 0.06, 0.05)
"""The place on a page of the sign that says which sentences its text does not prove, as it shows something else."""


def marks_of(answer: Answer) -> Mapping[str, Sequence[Mark]]:
    """Return the marks of an answer by document, in its order of documents and pages: one a shown citation.

    Lines and cells are highlighted; an element of which no line is known is framed. A place that nobody could confirm
    has a grey frame. Where a page shows something else than its text says, every document has a warning at its first
    mark, as no box is left that could.
    """
    marks: dict[str, list[Mark]] = {}
    for (doc_id, page), items in cited_pages(answer, others=False).items():
        for number, citation in items:
            boxes = citation.boxes or (citation.bbox,)
            text = _note(answer, number, citation)
            mark = Mark(page, boxes, text, f"[{number}]", highlight=bool(citation.boxes), against=citation.against)
            if citation.role == "unconfirmed":
                mark = replace(mark, highlight=False, colour=UNCONFIRMED.outline)
            marks.setdefault(doc_id, []).append(mark)
    message = untrue(answer)
    for own in marks.values() if message else ():
        own.append(Mark(own[0].page, (CORNER,), message, "[!]", warning=True))
    return marks


def untrue(answer: Answer) -> str:
    """Return the sentences that their page does not show as its text has them, a line each; empty without any."""
    return "\n".join(f"{clean(s.text)} ({clean(why(s))})" for s in answer.sentences if s.differs)


def _note(answer: Answer, number: int, citation: Citation) -> str:
    """Return the text of the annotation: its number, and each sentence that cites this place, with what it proves."""
    kind = KIND_NAMES.get(citation.kind, citation.kind)
    lines = []
    for sentence in answer.sentences:
        if citation in sentence.citations:
            outcome = f"{VERDICT_NAMES[sentence.verdict]} by this {kind}"
            if citation.role == "unconfirmed":
                outcome = f"points to this {kind}, which was not confirmed as a proof"
            elif sentence.conflict:
                outcome += f": {clean(str(sentence.conflict))}"
            lines.append(f"{clean(sentence.text)} ({outcome})")
    return "\n".join([f"[{number}] {lines[0]}", *lines[1:], f"Question: {clean(answer.question)}"])


def cited_pdf(collection: Collection, doc_id: str, marks: Sequence[Mark]) -> MarkedPdf:
    """Return one document with its marks. Raises DocumentMissing, or the FileError of the document's process.

    After the end of the PDF, where readers do not mind it, stands the line that marks our files.
    """
    pdf = annotate_document(collection, doc_id, marks)
    return replace(pdf, content=pdf.content + f"\n% {MARK}\n".encode())
