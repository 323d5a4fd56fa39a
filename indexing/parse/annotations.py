"""A document -> the same document as PDF with real annotations on its pages, for people who have only a PDF reader.

Those of the document are distinguished from ours: none of them keeps our name as its author.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

import pymupdf
from pymupdf import mupdf

from configs import CONTRADICTION, PROOF
from indexing.parse.active_content import without_active_content
from indexing.types import BBox, Mark, MarkedPdf

TITLE = "Vouch"
"""The author of our annotations, which a PDF reader shows."""
KEY = "VouchMark"
"""The key in the dictionary of each of our annotations; none that a document brought has it."""
BROUGHT = "In the document"
"""The author of an annotation that the document brought begins with this."""
_FORMS = ("Link", "Widget")
"""The kinds of annotations that have no author."""
SIGNED_AS_OURS = "annotations signed as Vouch's"
"""What the report names if annotations of the document with our name were left out."""


def annotate(document: pymupdf.Document, marks: Sequence[Mark]) -> MarkedPdf:
    """Return `document` (a PDF, which is changed) with `marks` on its pages, opening at the first one.

    Content, encryption and annotations of the document stay, and the latter's authors say that it brought them. Active
    content (`without_active_content`) and annotations signed with our name are left out, as the note of the first mark
    says; a digital signature is no longer valid. Raises ValueError for a mark on a page that the document does not
    have, or without a box.
    """
    for mark in marks:
        if not 1 <= mark.page <= document.page_count:
            raise ValueError(f"there is no page {mark.page} in a document of {document.page_count} pages")
        if not mark.boxes:
            raise ValueError(f"the mark on page {mark.page} has no box")
    left_out = without_active_content(document)
    if _name_foreign_annotations(document):
        left_out = tuple(sorted((*left_out, SIGNED_AS_OURS), key=str.lower))
    note = f"\nLeft out of this copy: {', '.join(left_out)}." if left_out else ""
    for number, mark in enumerate(marks):
        _draw(document[mark.page - 1], mark if number else replace(mark, text=mark.text + note))
    if marks:  # in place of whatever the document does when it is opened
        document.xref_set_key(
            document.pdf_catalog(), "OpenAction", f"[{document.page_xref(marks[0].page - 1)} 0 R /Fit]"
        )
    data: bytes = document.tobytes(garbage=1, deflate=True, encryption=pymupdf.PDF_ENCRYPT_KEEP)
    return MarkedPdf(data, left_out)


def _draw(page: pymupdf.Page, mark: Mark) -> None:
    """Add one annotation. MuPDF takes points of the page before it is rotated, from the corner of the crop box."""
    width, height, upright = page.rect.width, page.rect.height, page.derotation_matrix
    shades = CONTRADICTION if mark.against else PROOF
    if mark.warning:
        corner = pymupdf.Rect(*mark.boxes[0].to_page(width, height)).tl
        annotation = page.add_text_annot(corner * upright, mark.text, icon="Note")
        annotation.set_colors(stroke=mark.colour or CONTRADICTION.outline)
    elif mark.highlight:
        quads = [pymupdf.Rect(*box.to_page(width, height)).quad * upright for box in mark.boxes]
        annotation = page.add_highlight_annot(quads=quads)
        annotation.set_colors(stroke=mark.colour or shades.highlight)
    else:
        around = pymupdf.Rect(*BBox.union(mark.boxes).to_page(width, height)) * upright
        annotation = page.add_rect_annot(around.normalize())
        annotation.set_colors(stroke=mark.colour or shades.outline)
        annotation.set_border(width=1.5)
    annotation.set_info(title=TITLE, subject=mark.subject, content=mark.text)
    page.parent.xref_set_key(annotation.xref, KEY, "true")
    annotation.update()
    if mark.highlight and not mark.warning:
        _straighten(page.parent, annotation.xref, mark.colour or shades.highlight)


def _straighten(document: pymupdf.Document, xref: int, colour: tuple[float, float, float]) -> None:
    """Redraw a highlight as plain boxes: MuPDF rounds the ends, which on a tall box reach far over its neighbours."""
    form = int(document.xref_get_key(xref, "AP/N")[1].split()[0])
    numbers = document.xref_get_key(xref, "QuadPoints")[1].strip("[]").split()
    paths = []
    for at in range(0, len(numbers), 8):
        left_top, right_top, left_bottom, right_bottom = (" ".join(numbers[i : i + 2]) for i in range(at, at + 8, 2))
        paths.append(f"{left_top} m {right_top} l {right_bottom} l {left_bottom} l h f")
    red, green, blue = colour
    content = "\n".join(["q", "/H gs", f"{red} {green} {blue} rg", *paths, "Q"])
    document.update_stream(form, content.encode())


def _name_foreign_annotations(document: pymupdf.Document) -> bool:
    """Prefix the author of every annotation of `document` (a PDF, which is changed) with `BROUGHT`.

    Those that are signed with our name, or have our key, are removed; returns True if there were any.
    """
    pdf = mupdf.pdf_document_from_fz_document(document.this)
    removed = False
    for number in range(document.page_count):
        annotations = mupdf.pdf_dict_gets(mupdf.pdf_lookup_page_obj(pdf, number), "Annots")
        for at in reversed(range(mupdf.pdf_array_len(annotations))):
            annotation = mupdf.pdf_array_get(annotations, at)
            if mupdf.pdf_to_name(mupdf.pdf_dict_gets(annotation, "Subtype")) in _FORMS:
                continue
            title = mupdf.pdf_to_text_string(mupdf.pdf_dict_gets(annotation, "T"))
            if mupdf.pdf_dict_gets(annotation, KEY).m_internal or _is_ours(title):
                mupdf.pdf_array_delete(annotations, at)
                removed = True
            elif mupdf.pdf_is_dict(annotation) and not title.startswith(BROUGHT):
                author = f"{BROUGHT}: {title}" if title.strip() else BROUGHT
                mupdf.pdf_dict_puts(annotation, "T", mupdf.pdf_new_text_string(author))
    return removed


def _is_ours(title: str) -> bool:
    """Return True if the author's name `title` contains our name, in any letter case and with any signs between."""
    folded_title = unicodedata.normalize("NFKC", title).casefold()
    return TITLE.casefold() in "".join(c for c in folded_title if c.isalpha())
