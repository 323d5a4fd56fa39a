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
"""The place of the warning on a page that lists the sentences whose page shows something else than its text says."""


def marks_of(answer: Answer) -> Mapping[str, Sequence[Mark]]:
    """Return the marks of an answer by document id, in the answer's order: one for each displayed citation.

    Lines and cells are highlighted; an element without known lines is framed, in grey if it is not confirmed. If a page
    shows something else than its text says, the sentence has no box, so every document has a warning on the page of its
    first mark.
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
    """Return the sentences whose page shows something else than its text says, one per line; "" without any."""
    return "\n".join(f"{clean(s.text)} ({clean(why(s))})" for s in answer.sentences if s.differs)


def _note(answer: Answer, number: int, citation: Citation) -> str:
    """Return the text of an annotation: its number, the sentences that cite the place with verdicts, the question."""
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
    """Return one document as a PDF with its marks. Raises DocumentMissing, FileError.

    MARK is appended after the end of the PDF, where readers ignore it.
    """
    pdf = annotate_document(collection, doc_id, marks)
    return replace(pdf, content=pdf.content + f"\n% {MARK}\n".encode())
