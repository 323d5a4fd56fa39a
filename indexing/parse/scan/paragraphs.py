"""Recognised words -> paragraphs: lines of one size that are close below one another, without a layout model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pymupdf

from indexing.parse.orientation import Frame
from indexing.parse.scan.ocr import (
    Box4,
    Word,
    as_bgr,
    bounding_box,
    bounds,
    by_line,
    detected_lines,
    pixels_of,
    recognise_lines,
)
from indexing.parse.scan.sheets import facing_pages, quarters_to_upright
from indexing.parse.text import running_text, spellings
from indexing.types import BBox, Region

LINE_GAP = 0.8
"""The share of lines' height that the white between them must stay below for them to be one paragraph."""
SIZE_RATIO = 1.6
"""The factor between the heights of two lines above which they are no one paragraph: a heading is not its text."""
MAX_CHARS = 1200
"""The length above which paragraphs are cut: more than about 250 tokens is more than the model reads at once."""
ToBox = Callable[[float, float, float, float], BBox | None]


def scanned_text(page: pymupdf.Page, longer_side: int, most: int) -> str:
    """Return the text of a scanned page, a paragraph a line, up to the line in which it reaches `most` characters.

    The page is drawn so that its longer side has `longer_side` pixels. Lines are read from the top until there is
    enough: of a dense page, reading them all takes four times as long as all else. Of two facing pages the left one is
    read first.
    """
    frame = Frame(page, 0)
    texts: list[str] = []
    for side in [side for side, _ in facing_pages(page, longer_side)] or [page]:
        words = _first_words(side, longer_side, most - sum(map(len, texts)))
        lexicon = spellings(words)
        texts += (running_text(paragraph, frame, lexicon)[0] for paragraph in paragraphs(words))
        if sum(map(len, texts)) >= most:
            break
    return "\n".join(text for text in texts if text)


def _first_words(page: pymupdf.Page, longer_side: int, most: int) -> list[Word]:
    """Recognise the words of a page from its top, until they have `most` characters, in pixels of the upright page."""
    image, _ = pixels_of(page, longer_side)
    lines = detected_lines(bgr := as_bgr(image))
    if quarters := quarters_to_upright(bgr, bounds(lines)):
        image = np.ascontiguousarray(np.rot90(image, -quarters))
        lines = detected_lines(bgr := as_bgr(image))
    return recognise_lines(image, bgr, lines, most)


def regions_of(words: Sequence[Word], to_box: ToBox) -> tuple[Region, ...]:
    """Return the paragraphs of recognised words, from top to bottom; `to_box` converts edges to a box of the page."""
    pairs = ((" ".join(w.text for w in words), to_box(*bounding_box(words))) for words in paragraphs(words))
    return tuple(Region(bbox, text) for text, bbox in pairs if bbox is not None)


def paragraphs(words: Sequence[Word]) -> list[list[Word]]:
    """Return recognised words in paragraphs, from top to bottom."""
    groups: list[list[list[Word]]] = []
    for line in sorted(by_line(words), key=lambda row: (bounding_box(row)[1], bounding_box(row)[0])):
        for group in groups:
            if _continues(bounding_box(group[-1]), bounding_box(line)) and _length(*group, line) < MAX_CHARS:
                group.append(line)
                break
        else:
            groups.append([line])
    return [[word for line in group for word in line] for group in groups]


def _length(*lines: Sequence[Word]) -> int:
    return sum(len(word.text) + 1 for line in lines for word in line)


def _continues(last: Box4, line: Box4) -> bool:
    """Return True if a line continues another: right below it, of its size, and mostly in its columns."""
    tall, other = last[3] - last[1], line[3] - line[1]
    gap = line[1] - last[3]
    shared = min(last[2], line[2]) - max(last[0], line[0])
    return (
        max(tall, other) <= SIZE_RATIO * max(min(tall, other), 1e-6)
        and -0.5 * tall <= gap <= LINE_GAP * min(tall, other)
        and line[1] > last[1]
        and shared >= 0.5 * min(last[2] - last[0], line[2] - line[0])
    )
