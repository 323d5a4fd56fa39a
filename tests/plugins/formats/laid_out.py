"""Looks at a rendition the way a reader does: the words that its PDF shows inside a box."""

import unicodedata

import pymupdf

from indexing.conversion import Rendition
from indexing.types import BBox, Element


def letters(text: str) -> str:
    """Return the letters and digits of a text, ligatures and presentation forms spelled out."""
    return "".join(c for c in unicodedata.normalize("NFKC", text) if c.isalnum())


def shown(rendition: Rendition, element: Element) -> str:
    """Return the letters that the PDF of a rendition has within the box of an element."""
    with pymupdf.open(stream=rendition.pdf) as document:
        page = document[element.page - 1]
        return letters(printed(page, element.bbox))


def printed(page: pymupdf.Page, box: BBox) -> str:
    """Return the words that a page has in a box, a point around it."""
    x0, y0, x1, y1 = box.to_page(page.rect.width, page.rect.height)
    return " ".join(word[4] for word in page.get_text("words", clip=(x0 - 1, y0 - 1, x1 + 1, y1 + 1)))


def elements(rendition: Rendition) -> list[Element]:
    """Return all elements of a rendition in reading order."""
    assert rendition.pages is not None
    return [element for page in rendition.pages for element in page.elements]
