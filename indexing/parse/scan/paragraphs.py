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
    boxed = ((" ".join(w.text for w in words), to_box(*_around(words))) for words in paragraphs(words))
    return tuple(Region(bbox, text) for text, bbox in boxed if bbox is not None)


def paragraphs(words: Sequence[Word]) -> list[list[Word]]:
    """Return recognised words in paragraphs, from top to bottom."""
    lines: dict[int, list[Word]] = {}
    for word in words:
        lines.setdefault(word.line, []).append(word)
    groups: list[list[list[Word]]] = []
    for line in sorted(lines.values(), key=lambda ws: (min(w.y0 for w in ws), min(w.x0 for w in ws))):
        for group in groups:
            if _continues(_around(group[-1]), _around(line)) and _length(*group, line) < MAX_CHARS:
                group.append(line)
                break
        else:
            groups.append([line])
    return [[word for line in group for word in line] for group in groups]


def _length(*lines: Sequence[Word]) -> int:
    return sum(len(word.text) + 1 for line in lines for word in line)


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
