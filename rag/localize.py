"""A quote -> tight boxes inside its element: one a line of text, one a cell of a table."""

from __future__ import annotations

from indexing import BBox, Element


def boxes_of(element: Element, start: int, end: int) -> tuple[BBox, ...]:
    """Boxes, in fractions of the displayed page, around the words of `element.text[start:end]`.

    Empty when no word of the quote has a place on the page: the element's own box is then all there is to show.
    """
    return element.words.line_boxes(start, end)
