"""Recognised words -> paragraphs: lines of one size that stand close below one another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from indexing.parse.scan.ocr import Word
from indexing.types import BBox, Region

LINE_GAP = 0.8
"""The share of lines' height that the white between them must stay below for them to be one paragraph."""


SIZE_RATIO = 1.6
"""The factor between the heights of two lines above which they are no one paragraph: a heading is not its text."""


MAX_CHARS = 1200
"""The length above which paragraphs are cut: more than about 250 tokens is more than the model reads at once."""


Box = tuple[float, float, float, float]


ToBox = Callable[[float, float, float, float], BBox | None]


def regions_of(words: Sequence[Word], to_box: ToBox) -> tuple[Region, ...]:
    """Join recognised words to paragraphs, from top to bottom; `to_box` turns their corners into a box on the page."""
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
    """Return True if a line goes on below another: near it, of its size, and mostly in its columns."""
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
