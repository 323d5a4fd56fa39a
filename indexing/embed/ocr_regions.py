"""Pages as their pixels show them, without a vision model: recognised paragraphs as regions, embedded by MiniLM.

The embedded default for the modes image and multi. It knows nothing of a page's text layer: RapidOCR reads the drawn
page, lines are joined to paragraphs by where they stand, and each paragraph is a region with one vector a token. So
scans, slides and infographics are searched like any other page, and the region that matched is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from indexing.embed.minilm import MODEL_SHA256, MiniLM
from indexing.embed.protocol import QueryVectors, RegionVectors, Sight
from indexing.ocr import Word
from indexing.packing import Packing
from indexing.types import BBox, ParsedPage, Region

NAME = "ocr_regions"
LINE_GAP = 0.8
"""Lines stand in one paragraph when the white between them is lower than this share of their height."""
SIZE_RATIO = 1.6
"""Lines whose heights differ by more than this factor are no one paragraph: a heading is not its text."""
MAX_CHARS = 1200
"""Longer paragraphs are cut: more than about 250 tokens is more than the model reads at once."""

Box = tuple[float, float, float, float]
ToBox = Callable[[float, float, float, float], BBox | None]


class OcrRegions:
    """The visual embedder of machines without a GPU: what pages say, read off their pixels."""

    name = NAME
    sight: Sight = "words"
    device = "cpu"
    batch_size = 1  # MiniLM makes batches of a page's paragraphs itself
    fingerprint = MODEL_SHA256

    def __init__(self, text: MiniLM) -> None:
        """`text` embeds what was read; it is shared with the text embedder."""
        self._text = text
        self.dim = text.dim
        self.packing = Packing(text.dim)

    def embed_pages(self, pages: Sequence[ParsedPage]) -> list[RegionVectors]:
        """A multi-vector for each page; of a page without writing, one without rows."""
        embedded = iter(self._text.embed_passages([r.text for page in pages for r in page.regions]))
        found = []
        for page in pages:
            own = [next(embedded).vectors for _ in page.regions]
            vectors = np.concatenate([np.zeros((0, self.dim), np.int8), *own])
            found.append(
                RegionVectors(vectors, np.array([len(v) for v in own], np.int32), tuple(r.bbox for r in page.regions))
            )
        return found

    def embed_query(self, question: str) -> QueryVectors:
        """As the text embedder has it."""
        return self._text.embed_query(question)

    def codebook(self) -> NDArray[np.float32]:
        """As the text embedder has it."""
        return self._text.codebook()


def regions_of(words: Sequence[Word], to_box: ToBox) -> tuple[Region, ...]:
    """Recognised words as paragraphs, from top to bottom; `to_box` turns their corners into a box on the page."""
    lines: dict[int, list[Word]] = {}
    for word in words:
        lines.setdefault(word.line, []).append(word)
    paragraphs: list[tuple[list[str], Box, Box]] = []  # texts, box, box of the last line
    for line in sorted(lines.values(), key=lambda ws: (min(w.y0 for w in ws), min(w.x0 for w in ws))):
        box = _around(line)
        text = " ".join(w.text for w in line)
        for at, (texts, whole, last) in enumerate(paragraphs):
            if _continues(last, box) and sum(map(len, texts)) + len(text) < MAX_CHARS:
                paragraphs[at] = ([*texts, text], _union(whole, box), box)
                break
        else:
            paragraphs.append(([text], box, box))
    boxed = ((" ".join(texts), to_box(*box)) for texts, box, _ in paragraphs)
    return tuple(Region(bbox, text) for text, bbox in boxed if bbox is not None)


def _continues(last: Box, line: Box) -> bool:
    """Whether a line goes on below another: near it, of its size, and mostly in its columns."""
    tall, other = last[3] - last[1], line[3] - line[1]
    gap = line[1] - last[3]
    shared = min(last[2], line[2]) - max(last[0], line[0])
    return (
        max(tall, other) <= SIZE_RATIO * max(min(tall, other), 1e-6)
        and -0.5 * tall <= gap <= LINE_GAP * min(tall, other)
        and line[1] > last[1]
        and shared >= 0.5 * min(last[2] - last[0], line[2] - line[0])
    )


def _around(words: Sequence[Word]) -> Box:
    return (min(w.x0 for w in words), min(w.y0 for w in words), max(w.x1 for w in words), max(w.y1 for w in words))


def _union(a: Box, b: Box) -> Box:
    return (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))
