"""The text that a page shows: the text layer's words where all glyphs are recognised, what OCR reads elsewhere.

Reading a page by OCR takes two to three seconds. Where the text layer says what should be there, recognising its glyphs
takes a tenth of that, and OCR reads only the lines in doubt and the drawings without words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise

import numpy as np
import pymupdf

from indexing.parse.print_verification.comparison import UPRIGHT
from indexing.parse.print_verification.drawing import Drawing
from indexing.parse.print_verification.letters import confirmed_words
from indexing.parse.scan import Box4, Word, raster_images, read_page, read_scored, regions_of, share
from indexing.parse.text_layer import WORD_FLAGS
from indexing.types import BBox, Element, LayerWord, Region, layer_lines

MOST_LINES, MOST_OF_ALL = 30, 0.5
"""The most lines that are read one by one, as a number or as a share: more take as long as all, or the layer lies."""
GAP = 1.0
"""The gap between two words, in heights, from which they are read one after the other."""
NARROWEST = 320 / 48
"""The width that the reader gives to whatever is narrower, in heights."""
FEW_WORDS = 5
"""The most words of a drawing that is read by OCR: one with more has a text layer of its own."""
SMALLEST_DRAWING = 0.012
"""The share of the page below which drawings are not read."""
MOST_DRAWINGS = 12
SURE = 0.5
"""The least confidence of a reading (PP-OCR's own default)."""
_WHOLE = (BBox(0.0, 0.0, 1.0, 1.0),)


def seen_regions(page: pymupdf.Page, elements: Sequence[Element], longer_side: int) -> tuple[Region, ...]:
    """Return the paragraphs that a `page`, as displayed, shows, from top to bottom.

    `elements` are those of the page; words in them that OCR read are kept. A drawing for OCR has a longer side of
    `longer_side` pixels.
    """
    lines = layer_lines((e for e in elements if not e.parts), _WHOLE)
    drawing = Drawing(page)
    read_before = _without_layer(page, lines, drawing)
    sure = iter(confirmed_words([line for line, is_ocr in zip(lines, read_before, strict=True) if not is_ocr], drawing))
    pieces: list[_Piece] = []
    for n, (line, is_ocr) in enumerate(zip(lines, read_before, strict=True)):
        pieces += [_Piece(n, line, sure=True)] if is_ocr else _split_line(n, line, next(sure), drawing)
    doubtful = [piece.words for piece in pieces if not piece.sure]
    if len({piece.line for piece in pieces if not piece.sure}) > max(MOST_LINES, MOST_OF_ALL * len(lines)):
        words = read_page(page, longer_side)
    else:
        readings = iter(_read_rows(doubtful, drawing))
        words = [
            replace(word, line=piece.line)
            for piece in pieces
            for word in (_as_words(piece.words, page) if piece.sure else next(readings))
        ]
        for n, box in enumerate(_wordless_drawings(page, elements), 1):
            ocr_words = read_page(page, longer_side, pymupdf.Rect(box))
            words += [Word(w.x0, w.y0, w.x1, w.y1, w.text, -1000 * n - w.line) for w in ocr_words]
    words += [word for n, e in enumerate(elements, 1) if e.source == "ocr" for word in _ocr_words(e, n * 10_000, page)]
    return regions_of(words, lambda x0, y0, x1, y1: BBox.from_page(x0, y0, x1, y1, page.rect.width, page.rect.height))


@dataclass(frozen=True, slots=True)
class _Piece:
    """Neighbouring words of line number `line`; `sure` if the glyphs of all are recognised, False if of none."""

    line: int
    words: Sequence[LayerWord]
    sure: bool


def _split_line(number: int, line: Sequence[LayerWord], sure: set[int] | None, drawing: Drawing) -> list[_Piece]:
    """Split a line into pieces that are recognised and pieces that are not, unless reading all of it takes no longer.

    It is split at wide gaps too: read at once, the last digit of a cell and the first of the next become one number.
    """
    boxes = [drawing.points(word.bbox) for word in line]
    gaps = [after[0] - before[2] > GAP * (after[3] - after[1]) for before, after in pairwise(boxes)]
    cells = list(accumulate(gaps, initial=0))
    result: list[_Piece] = []
    for _, cell in groupby(range(len(line)), key=lambda n: cells[n]):
        indices = list(cell)
        cell_words = [line[n] for n in indices]
        runs = groupby(indices, key=lambda n: n in (sure or ()))
        pieces = [_Piece(number, [line[n] for n in run], is_sure) for is_sure, run in runs]
        width = sum(_reading_width(piece.words, drawing) for piece in pieces if not piece.sure)
        is_faster = not width or width < _reading_width(cell_words, drawing)
        result += pieces if is_faster else [_Piece(number, cell_words, sure=False)]
    return result


def _reading_width(words: Sequence[LayerWord], drawing: Drawing) -> float:
    """Return the width of the drawing of words in a row that OCR reads, as a multiple of its height."""
    x0, y0, x1, y1 = drawing.points(BBox.union([word.bbox for word in words]))
    return max((x1 - x0) / max(y1 - y0, 0.1), NARROWEST)


def _without_layer(page: pymupdf.Page, lines: Sequence[Sequence[LayerWord]], drawing: Drawing) -> list[bool]:
    """Return True for each line whose place has no words of the text layer: OCR has read it in these pixels."""
    layer = np.array([
        tuple(pymupdf.Rect(word[:4]) * page.rotation_matrix) for word in page.get_text("words", flags=WORD_FLAGS)
    ]).reshape(-1, 4)  # fmt: skip
    boxes = np.array([drawing.points(BBox.union([word.bbox for word in line])) for line in lines]).reshape(-1, 4)
    return [not ((layer[:, :2] < box[2:]) & (layer[:, 2:] > box[:2])).all(axis=1).any() for box in boxes]


def _as_words(words: Sequence[LayerWord], page: pymupdf.Page) -> list[Word]:
    return [Word(*word.bbox.to_page(page.rect.width, page.rect.height), word.text, 0) for word in words]


def _ocr_words(element: Element, first: int, page: pymupdf.Page) -> list[Word]:
    """Return the words that OCR read in an element, in points, with line numbers from `first` on."""
    element_words = element.words
    places = element_words.boxes * np.array([page.rect.width, page.rect.height] * 2)
    return [
        Word(x0, y0, x1, y1, element.text[start:end], first + line)
        for (start, end), (x0, y0, x1, y1), line in zip(
            element_words.spans.tolist(), places.tolist(), element_words.lines.tolist(), strict=True
        )
    ]


def _read_rows(lines: Sequence[Sequence[LayerWord]], drawing: Drawing) -> list[list[Word]]:
    """Return what OCR reads in the box of words in a row, as one word; empty where its confidence is low.

    Lines that run up or down the page are read both ways.
    """
    boxes = [BBox.union([word.bbox for word in line]) for line in lines]
    places = [drawing.points(box) for box in boxes]
    are_turned = [y1 - y0 > UPRIGHT * (x1 - x0) and sum(len(w.text) for w in line) > 2
              for line, (x0, y0, x1, y1) in zip(lines, places, strict=True)]  # fmt: skip
    ways = [(1, -1) if is_turned else (0,) for is_turned in are_turned]
    readings = iter(read_scored([drawing.of(box, way) for box, each in zip(boxes, ways, strict=True) for way in each]))
    best = [max((next(readings) for _ in each), key=lambda reading: reading[1]) for each in ways]
    return [
        [Word(*place, text, 0)] if score >= SURE and text.strip() else []
        for place, (text, score) in zip(places, best, strict=True)
    ]


def _wordless_drawings(page: pymupdf.Page, elements: Sequence[Element]) -> list[Box4]:
    """Return the boxes (points) of drawings with few words; images were read when the page was parsed."""
    pictures = [e for e in elements if e.kind == "picture" and e.source == "layer" and len(e.words) <= FEW_WORDS]
    boxes = [e.bbox.to_page(page.rect.width, page.rect.height) for e in pictures if e.bbox.area >= SMALLEST_DRAWING]
    images = raster_images(page, SMALLEST_DRAWING, 1) if boxes else []
    return [box for box in boxes if not any(share(box, image) > 0.5 for image in images)][:MOST_DRAWINGS]
