"""The annotated copy of a PDF: each statement that claims something is highlighted, with a comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from configs import CONTRADICTION, PROOF, UNCONFIRMED
from indexing import Mark, annotate_file
from rag.manuscripts import PagePlace
from ui.export.copies.comments import comment_of, commented_statements, verdict_of
from ui.export.sources import MARK
from ui.show import clean, tone

if TYPE_CHECKING:
    from ui.export.copies.annotated import Checkup

COLOURS = {"good": PROOF.highlight, "bad": CONTRADICTION.highlight, "open": UNCONFIRMED.highlight}


def pdf_copy(checkup: Checkup) -> tuple[bytes, list[str]]:
    """Return the copy, and what was left out of it. Annotations that the file has stay; raises its FileError."""
    marks = [
        Mark(place.page, place.boxes, comment_of(sentence), verdict_of(sentence), colour=COLOURS[tone(sentence)])
        for statement, sentence in commented_statements(checkup.answer, checkup.manuscript)
        for place in statement.places
        if isinstance(place, PagePlace)
    ]
    pdf = annotate_file(checkup.path, marks, checkup.settings, checkup.password)
    name = clean(checkup.manuscript.name)
    notes = [f"Left out of the copy of {name}: {', '.join(pdf.left_out)}."] if pdf.left_out else []
    return pdf.content + f"\n% {MARK}\n".encode(), notes
