"""Page labels: the numbers that a PDF gives its pages ("iv", "117", "A-3"), which are printed on them as a rule.

They stand in a tree of ranges (ISO 32000, 12.4.2). Whatever the tree says, a label is a short line of text: the tree is
walked within limits, and a number too large for its style is no label.
"""

from __future__ import annotations

from dataclasses import dataclass

import pymupdf
from pymupdf import mupdf

MOST_CHARS = 40
"""The characters of a label; a longer one is none."""
_MOST_RANGES, _DEEPEST = 5_000, 12
_MOST_ROMAN, _MOST_LETTERS = 3_999, 26 * 30
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LabelRange:
    """A range of pages from page `start` (from 0): a prefix, the style of its numbers (D, R, r, A, a or none)."""

    start: int
    prefix: str
    style: str
    first: int

    def label(self, page: int) -> str:
        """Return the label of a page (from 0) in the range; "" where its number is out of bounds for its style."""
        text = _numeral(self.first + page - self.start, self.style)
        label = "" if text is None else " ".join(f"{self.prefix}{text}".split())
        return label if len(label) <= MOST_CHARS and label.isprintable() else ""


def page_label(page: pymupdf.Page) -> str:
    """Return the label that its document gives a page; "" where there are no labels, or none that can be read."""
    document: pymupdf.Document = page.parent
    if not document.is_pdf:
        return ""
    try:
        root = mupdf.pdf_dict_gets(mupdf.pdf_trailer(mupdf.pdf_document_from_fz_document(document.this)), "Root")
        label_range = _range_of(mupdf.pdf_dict_gets(root, "PageLabels"), page.number)
    except (RuntimeError, ValueError, mupdf.FzErrorBase):
        return ""  # damaged: then the pages have no labels
    return label_range.label(page.number) if label_range else ""


def _range_of(tree: mupdf.PdfObj, page: int) -> LabelRange | None:
    """Return the range that a page (from 0) is in: the last one of the tree that begins at it or before it."""
    best: tuple[int, mupdf.PdfObj] | None = None
    nodes, left = [(tree, 0)], _MOST_RANGES
    while nodes and left > 0:
        node, depth = nodes.pop()
        for start, told in _leaves(mupdf.pdf_dict_gets(node, "Nums"), left):
            left -= 1
            if start <= page and (best is None or start > best[0]):
                best = start, told
        kids = mupdf.pdf_dict_gets(node, "Kids")
        count = min(mupdf.pdf_array_len(kids), left) if depth < _DEEPEST else 0
        nodes += [(mupdf.pdf_array_get(kids, n), depth + 1) for n in range(count)]
        left -= count + 1
    return _range(*best) if best else None


def _leaves(nums: mupdf.PdfObj, most: int) -> list[tuple[int, mupdf.PdfObj]]:
    count = min(mupdf.pdf_array_len(nums) // 2, most)
    pairs = ((mupdf.pdf_array_get(nums, 2 * n), mupdf.pdf_array_get(nums, 2 * n + 1)) for n in range(count))
    return [(mupdf.pdf_to_int(start), told) for start, told in pairs if mupdf.pdf_is_int(start)]


def _range(start: int, told: mupdf.PdfObj) -> LabelRange:
    prefix = mupdf.pdf_to_text_string(mupdf.pdf_dict_gets(told, "P"))
    first = mupdf.pdf_dict_gets(told, "St")
    return LabelRange(
        start,
        prefix[: 2 * MOST_CHARS],
        mupdf.pdf_to_name(mupdf.pdf_dict_gets(told, "S"))[:2],
        mupdf.pdf_to_int(first) if mupdf.pdf_is_int(first) else 1,
    )


def _numeral(number: int, style: str) -> str | None:
    """Return a number in a style; "" in none, and None for one that the style cannot write."""
    if style == "":
        return ""
    if number < 1:
        return None
    if style == "D":
        return str(number)
    if style in ("R", "r") and number <= _MOST_ROMAN:
        text = ""
        for value, letters in _ROMAN:
            text += letters * (number // value)
            number %= value
    elif style in ("A", "a") and number <= _MOST_LETTERS:
        text = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
    else:
        return None
    return text.upper() if style.isupper() else text
