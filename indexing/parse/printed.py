"""A page of a PDF as it is printed -> its visible words with size, weight and box; by OCR where it has no text.

No layout model is used: two hundred pages take seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pymupdf

from indexing.parse.font_maps import is_disguised
from indexing.parse.layout import needs_ocr
from indexing.parse.orientation import Frame, text_frame
from indexing.parse.print_verification import name_ligatures
from indexing.parse.scan import Box4, Word, read_page
from indexing.parse.text import clean, has_little_text
from indexing.parse.text_layer import WORD_FLAGS, layer_words, raised_spans, visible
from indexing.settings import IndexingSettings
from indexing.types import BBox, Source

_BOLD = 16
_BOLD_NAMES = ("bold", "black", "heavy", "-medi", "cmbx", "semibold")
MOST_WORDS = 20_000
"""The words that are taken of a page; a page of a book has 500, of a newspaper 5,000."""


@dataclass(frozen=True, slots=True)
class PrintedWord:
    """A word as it is printed: `size` in points, `raised` above the line, `bold`; `line` is the number of its line.

    The words of a PDF line behind a wide gap have another number. A raised number behind a word is a word of its own,
    and `joined` to the one before it: no blank separates them.
    """

    text: str
    box: BBox
    size: float
    line: int
    bold: bool = False
    raised: bool = False
    joined: bool = False


@dataclass(frozen=True, slots=True)
class PrintedPage:
    """A page of `width` x `height` points with its words, in the order of the file or of recognition."""

    number: int
    width: float
    height: float
    words: tuple[PrintedWord, ...]
    source: Source = "layer"


def printed_page(page: pymupdf.Page, settings: IndexingSettings) -> PrintedPage:
    """Return a page with the words that a reader sees, as they are printed; those that run up or down are left out."""
    number, width, height, rotation = page.number + 1, page.rect.width, page.rect.height, page.rotation
    if not needs_ocr(page, settings):
        name_ligatures(page)
        frame = text_frame(page)
        layer = layer_words(frame.page)
        visible_words, n_hidden = visible(frame.page, layer)
        little = n_hidden and has_little_text("".join(word.text for word in visible_words))
        if not (settings.ocr == "auto" and (little or is_disguised(frame.page, visible_words))):
            words = tuple(_words(frame, set(layer).difference(visible_words)))
            page.set_rotation(rotation)
            return PrintedPage(number, width, height, words[:MOST_WORDS])
        page.set_rotation(rotation)
    ocr_words = [_printed_word(word, width, height) for word in read_page(page, settings.ocr_pixels)]
    return PrintedPage(number, width, height, tuple(w for w in ocr_words if w)[:MOST_WORDS], "ocr")


def _printed_word(word: Word, width: float, height: float) -> PrintedWord | None:
    """Return a word of OCR, its font size taken as 3/4 of its height; None if it has no text or is off the page."""
    text, box = clean(word.text), BBox.from_page(word.x0, word.y0, word.x1, word.y1, width, height)
    return PrintedWord(text, box, 0.75 * (word.y1 - word.y0), word.line) if text and box else None


@dataclass(slots=True)
class _Draft:
    """A word in progress: its characters, and the rectangle around them in points of the upright page."""

    line: int
    size: float = 0.0
    bold: bool = False
    raised: bool = False
    joined: bool = False
    letters: list[str] = field(default_factory=list)
    rect: list[float] = field(default_factory=list)

    def add(self, letter: str, box: Box4) -> None:
        x0, y0, x1, y1 = box
        self.letters.append(letter)
        old = self.rect or [x0, y0, x1, y1]
        self.rect = [min(old[0], x0), min(old[1], y0), max(old[2], x1), max(old[3], y1)]


def _words(frame: Frame, hidden_words: set[Word]) -> Iterator[PrintedWord]:
    """Yield the words of the text layer that are not in `hidden_words`."""
    boxes = np.array([(word.x0, word.y0, word.x1, word.y1) for word in hidden_words]).reshape(-1, 4)
    for draft in _drafts(frame.page):
        text = clean("".join(draft.letters))
        box = frame.box(*draft.rect) if draft.rect else None
        if text and box:
            middle = np.array([draft.rect[0] + draft.rect[2], draft.rect[1] + draft.rect[3]]) / 2
            if not ((boxes[:, :2] <= middle) & (middle <= boxes[:, 2:])).all(axis=1).any():
                yield PrintedWord(text, box, draft.size, draft.line, draft.bold, draft.raised, draft.joined)


def _drafts(page: pymupdf.Page) -> Iterator[_Draft]:
    """Yield the words of the lines that run across a page."""
    line_number = 0
    for block in page.get_text("rawdict", flags=WORD_FLAGS)["blocks"]:
        for line in block.get("lines", ()):
            if abs(line["dir"][0]) < abs(line["dir"][1]):
                continue  # a stamp along the margin
            line_number += 1
            yield from _line_drafts(line, line_number)


def _line_drafts(line: dict[str, Any], number: int) -> Iterator[_Draft]:
    """Yield the words of a line: a blank ends a word, and so does the change to or from raised characters."""
    draft: _Draft | None = None
    for span, raised in zip(line["spans"], raised_spans(line), strict=True):
        bold = bool(span["flags"] & _BOLD) or any(name in span["font"].lower() for name in _BOLD_NAMES)
        joined = draft is not None and draft.raised != raised
        if draft is not None and joined:
            yield draft
            draft = None
        for char in span["chars"]:
            if char["c"].isspace():
                if draft is not None:
                    yield draft
                draft, joined = None, False
                continue
            if draft is None:
                draft = _Draft(number, span["size"], bold, raised, joined)
            draft.add(char["c"], char["bbox"])
    if draft is not None:
        yield draft
