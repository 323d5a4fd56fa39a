"""The annotations that a PDF brought are told from ours: no author signs a mark with our name."""

from __future__ import annotations

import unicodedata

import pymupdf
from pymupdf import mupdf

TITLE = "Vouch"
"""The author of our annotations, which a PDF reader shows."""
KEY = "VouchMark"
"""The key in the dictionary of each of our annotations; none that a document brought has it."""
BROUGHT = "In the document"
"""The author of an annotation that the document brought begins with this."""
_FORMS = ("Link", "Widget")
"""The kinds of annotations that have no author."""


def with_foreign_annotations_named(document: pymupdf.Document) -> bool:
    """Let every annotation of `document` (a PDF, which is changed) say that the document brought it.

    One that is signed with our name, or has our key, is taken out; returns True if there was such a one.
    """
    pdf = mupdf.pdf_document_from_fz_document(document.this)
    taken = False
    for number in range(document.page_count):
        every = mupdf.pdf_dict_gets(mupdf.pdf_lookup_page_obj(pdf, number), "Annots")
        for at in reversed(range(mupdf.pdf_array_len(every))):
            one = mupdf.pdf_array_get(every, at)
            if mupdf.pdf_to_name(mupdf.pdf_dict_gets(one, "Subtype")) in _FORMS:
                continue
            title = mupdf.pdf_to_text_string(mupdf.pdf_dict_gets(one, "T"))
            if mupdf.pdf_dict_gets(one, KEY).m_internal or _is_ours(title):
                mupdf.pdf_array_delete(every, at)
                taken = True
            elif mupdf.pdf_is_dict(one) and not title.startswith(BROUGHT):
                named = f"{BROUGHT}: {title}" if title.strip() else BROUGHT
                mupdf.pdf_dict_puts(one, "T", mupdf.pdf_new_text_string(named))
    return taken


def _is_ours(title: str) -> bool:
    """Return True for an author's name whose letters are those of ours."""
    folded = unicodedata.normalize("NFKC", title).casefold()
    return TITLE.casefold() in "".join(c for c in folded if c.isalpha())
