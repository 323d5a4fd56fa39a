"""Page labels: the numbers that a PDF gives its pages ("iv", "117", "A-3"), which are usually printed on them.

They are in a tree of ranges (ISO 32000, 12.4.2). As files can be malicious, the tree is walked within limits, a label
is a short line of text, and a number too large for its style is no label.
"""

from __future__ import annotations

from collections.abc import Iterator

import pymupdf
from pymupdf import mupdf

MOST_CHARS = 40
"""The characters of a label; a longer one is none."""
_MOST_NODES, _DEEPEST = 5_000, 12
_MOST_ROMAN, _MOST_LETTERS = 3_999, 26 * 30
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def page_label(page: pymupdf.Page) -> str:
    """Return the label that the document gives a page; "" where it has none, or none that can be read."""
    document: pymupdf.Document = page.parent
    if not document.is_pdf:
        return ""
    try:
        root = mupdf.pdf_dict_gets(mupdf.pdf_trailer(mupdf.pdf_document_from_fz_document(document.this)), "Root")
        ranges = _ranges(mupdf.pdf_dict_gets(root, "PageLabels"))
        earlier = [(start, label_range) for start, label_range in ranges if start <= page.number]
        if not earlier:
            return ""
        start, label_range = max(earlier, key=lambda pair: pair[0])
        return _label(label_range, page.number - start)
    except (RuntimeError, ValueError, mupdf.FzErrorBase):
        return ""  # damaged: then the pages have no labels


def _ranges(tree: mupdf.PdfObj) -> Iterator[tuple[int, mupdf.PdfObj]]:
    """Yield the label ranges in a tree of page labels, each with the page (from 0) at which it begins."""
    nodes, budget = [(tree, 0)], _MOST_NODES
    while nodes and budget > 0:
        node, depth = nodes.pop()
        nums, kids = mupdf.pdf_dict_gets(node, "Nums"), mupdf.pdf_dict_gets(node, "Kids")
        for n in range(min(mupdf.pdf_array_len(nums) // 2, budget)):
            budget -= 1
            start = mupdf.pdf_array_get(nums, 2 * n)
            if mupdf.pdf_is_int(start):
                yield mupdf.pdf_to_int(start), mupdf.pdf_array_get(nums, 2 * n + 1)
        count = min(mupdf.pdf_array_len(kids), budget) if depth < _DEEPEST else 0
        nodes += [(mupdf.pdf_array_get(kids, n), depth + 1) for n in range(count)]
        budget -= count + 1


def _label(label_range: mupdf.PdfObj, at: int) -> str:
    """Return the label of page `at` (from 0) of a range; "" where its number is out of bounds."""
    prefix = mupdf.pdf_to_text_string(mupdf.pdf_dict_gets(label_range, "P"))[: 2 * MOST_CHARS]
    first = mupdf.pdf_dict_gets(label_range, "St")
    number = at + (mupdf.pdf_to_int(first) if mupdf.pdf_is_int(first) else 1)
    numeral = _numeral(number, mupdf.pdf_to_name(mupdf.pdf_dict_gets(label_range, "S")))
    label = "" if numeral is None else " ".join(f"{prefix}{numeral}".split())
    return label if len(label) <= MOST_CHARS and label.isprintable() else ""


def _numeral(number: int, style: str) -> str | None:
    """Return a number in a style (D, R, r, A, a; "" for none); None if the style cannot write it."""
    if style == "":
        return ""
    if style == "D" and number > 0:
        return str(number)
    if style in ("R", "r") and 0 < number <= _MOST_ROMAN:
        text = ""
        for value, letters in _ROMAN:
            text += letters * (number // value)
            number %= value
    elif style in ("A", "a") and 0 < number <= _MOST_LETTERS:
        text = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
    else:
        return None
    return text.upper() if style.isupper() else text
