"""The text that a page shows: words of its text layer where every letter was seen, OCR's reading where one was not.

Reading a page by OCR takes two to three seconds. Where the text layer says what should be there, a look at each letter
takes a tenth of that, and OCR is left with the lines in doubt and the drawings without words.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pymupdf

from indexing.parse.likeness.comparison import UPRIGHT
from indexing.parse.likeness.drawing import Drawing
from indexing.parse.likeness.letters import confirmed
from indexing.parse.scan import Word, raster_images, read_page, read_scored, regions_of, share
from indexing.types import BBox, Element, LayerWord, Region, layer_lines

MOST_LINES = 30
"""The most lines that are read one by one: more take longer than the whole page."""
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

    `elements` are those of the page; words that OCR read are taken as they are. `longer_side` is that of a drawing for
    OCR, in pixels.
    """
    lines = layer_lines((e for e in elements if not e.parts), _WHOLE)
    drawing = Drawing(page)
    sure = [
        seen is not None and len(seen) == len(line) for line, seen in zip(lines, confirmed(lines, drawing), strict=True)
    ]
    doubtful = [line for line, is_sure in zip(lines, sure, strict=True) if not is_sure]
    if len(doubtful) > MOST_LINES:
        words = read_page(page, longer_side)
    else:
        words = [word for n, line in enumerate(lines) if sure[n] for word in _words(line, n, page)]
        words += _read(doubtful, drawing, len(lines))
        for n, box in enumerate(_wordless_drawings(page, elements), 1):
            found = read_page(page, longer_side, pymupdf.Rect(box))
            words += [Word(w.x0, w.y0, w.x1, w.y1, w.text, -1000 * n - w.line) for w in found]
    words += [word for n, e in enumerate(elements, 1) if e.source == "ocr" for word in _recognised(e, n * 10_000, page)]
    return regions_of(words, lambda x0, y0, x1, y1: BBox.from_page(x0, y0, x1, y1, page.rect.width, page.rect.height))


def _words(line: Sequence[LayerWord], number: int, page: pymupdf.Page) -> list[Word]:
    return [Word(*word.bbox.to_page(page.rect.width, page.rect.height), word.text, number) for word in line]


def _recognised(element: Element, first: int, page: pymupdf.Page) -> list[Word]:
    """Return the words of an element that OCR read, with numbers of lines from `first` on."""
    own = element.words
    places = own.boxes * np.array([page.rect.width, page.rect.height] * 2)
    return [
        Word(x0, y0, x1, y1, element.text[start:end], first + line)
        for (start, end), (x0, y0, x1, y1), line in zip(
            own.spans.tolist(), places.tolist(), own.lines.tolist(), strict=True
        )
    ]


def _read(lines: Sequence[Sequence[LayerWord]], drawing: Drawing, first: int) -> list[Word]:
    """Return what OCR reads in the places of lines, each as one word, with numbers from `first` on.

    Lines that run up or down the page are read both ways.
    """
    boxes = [BBox.union([word.bbox for word in line]) for line in lines]
    places = [drawing.points(box) for box in boxes]
    turned = [y1 - y0 > UPRIGHT * (x1 - x0) and sum(len(w.text) for w in line) > 2
              for line, (x0, y0, x1, y1) in zip(lines, places, strict=True)]  # fmt: skip
    ways = [(1, -1) if is_turned else (0,) for is_turned in turned]
    read = iter(read_scored([drawing.of(box, way) for box, own in zip(boxes, ways, strict=True) for way in own]))
    best = [max((next(read) for _ in own), key=lambda found: found[1]) for own in ways]
    return [
        Word(*place, text, first + n)
        for n, (place, (text, score)) in enumerate(zip(places, best, strict=True))
        if score >= SURE and text.strip()
    ]


def _wordless_drawings(page: pymupdf.Page, elements: Sequence[Element]) -> list[tuple[float, float, float, float]]:
    """Return the boxes (points) of drawings with next to no words; images were read when the page was parsed."""
    pictures = [e for e in elements if e.kind == "picture" and e.source == "layer" and len(e.words) <= FEW_WORDS]
    boxes = [e.bbox.to_page(page.rect.width, page.rect.height) for e in pictures if e.bbox.area >= SMALLEST_DRAWING]
    images = raster_images(page, SMALLEST_DRAWING, 1) if boxes else []
    return [box for box in boxes if not any(share(box, image) > 0.5 for image in images)][:MOST_DRAWINGS]
