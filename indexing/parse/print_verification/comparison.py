"""The comparison of lines with the pixels of their page, which are read in several passes.

A word that one pass confirms agrees with the page. Letters that OCR confuses count as one, and a long word may differ
in a letter, but no number.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import numpy as np
import pymupdf
from numpy.typing import NDArray

from indexing.parse.print_verification.drawing import Drawing
from indexing.parse.print_verification.letters import confirmed_words, name_ligatures
from indexing.parse.print_verification.marks import marked_words
from indexing.parse.print_verification.readings import (
    MOST_CHARS,
    differences,
    fold_letters,
    is_misread,
    readable,
    readings_agree,
)
from indexing.parse.scan import Box4, Word, by_line, read_lines, recognise
from indexing.parse.text_layer import unpainted_boxes
from indexing.types import BBox, LayerWord, Mismatch
from indexing.typography import as_printed

LARGER = 64
"""The height of a drawn line in pixels at a further pass."""
WIDER = 0.12
"""The share of its height that is left around a line at a further pass."""
MAX_WIDTH = 40
"""The width, as a multiple of the height, above which a line is cut into pieces: narrower letters are hard to read."""
UPRIGHT = 1.5
"""The height of a line, as a multiple of its width, from which its words run up or down the page."""

Line = Sequence[LayerWord]


def mismatches(page: pymupdf.Page, lines: Sequence[Line]) -> tuple[Mismatch, ...]:
    """Return the mismatches that `mismatches_by_line` returns, of all lines in one tuple."""
    return tuple(mismatch for line in mismatches_by_line(page, lines) for mismatch in line)


def mismatches_by_line(page: pymupdf.Page, lines: Sequence[Line]) -> tuple[tuple[Mismatch, ...], ...]:
    """Return the mismatches of each line: its words that a `page`, as displayed, shows otherwise, in order.

    The boxes of words are fractions of the displayed page. Words with letters that OCR cannot recognise are not
    compared; a stroke through words that the text marks as struck out is no mismatch.
    """
    name_ligatures(page)
    printed_lines = [as_printed([word.text for word in line]) for line in lines]
    lines = [
        [replace(word, text=text) for word, text in zip(line, texts, strict=True)]
        for line, (texts, _) in zip(lines, printed_lines, strict=True)
    ]
    ratio = page.rect.height / page.rect.width
    pieces = [[_Compared.of(piece, ratio) for piece in _readable_parts(page, line)] for line in lines]
    all_pieces = [piece for line in pieces for piece in line]
    drawing = Drawing(page)
    for step in (_glyph_by_glyph, _whole_lines, _wider_lines, _single_words, _surroundings):
        unsure = [line for line in all_pieces if line.unsure]
        if unsure:
            step(unsure, drawing)
    result = [[mismatch for piece in line for mismatch in piece.mismatches()] for line in pieces]
    for (n, k), reading in marked_words(lines, drawing).items():
        word = lines[n][k].text
        if k not in printed_lines[n][1] and word not in [m.text for m in result[n]]:
            result[n].append(Mismatch(word, reading, agreed=False))
    return tuple(map(tuple, result))


def _is_in_layer(layer: Sequence[Box4], box: Box4) -> bool:
    """Return True if the middle of a box is in one of the boxes of an OCR layer, all in points."""
    x0, y0, x1, y1 = box
    return any(a <= (x0 + x1) / 2 <= c and b <= (y0 + y1) / 2 <= d for a, b, c, d in layer)


def _glyph_by_glyph(lines: Sequence[_Compared], drawing: Drawing) -> None:
    """Compare level lines glyph by glyph; OCR reads the doubtful words of lines that show no further words."""
    level = [line for line in lines if not line.turns]
    for line, sure in zip(level, confirmed_words([line.line for line in level], drawing), strict=True):
        if sure is not None:
            line.confirm(sure)
    unsure_lines = [line for line in level if line.unsure and not line.fresh]
    if unsure_lines:
        _single_words(unsure_lines, drawing)


def _whole_lines(lines: Sequence[_Compared], drawing: Drawing) -> None:
    """Read each line by OCR, in the direction of its words."""
    _compare_images(lines, [drawing.of(line.bbox, line.turns) for line in lines])


def _wider_lines(lines: Sequence[_Compared], drawing: Drawing) -> None:
    """Read lines again, larger and with a margin; lines that run along the page the other way round."""
    _compare_images(lines, [drawing.of(line.bbox, -line.turns, WIDER, LARGER) for line in lines])


def _compare_images(lines: Sequence[_Compared], images: Sequence[NDArray[np.uint8]]) -> None:
    for line, reading in zip(lines, read_lines(images), strict=True):
        line.update(differences(line.texts, reading))


def _single_words(lines: Sequence[_Compared], drawing: Drawing) -> None:
    """Read each doubtful word by itself, which works better beside dotted lines and for words of different sizes."""
    places = [(line, n) for line in lines for n in line.unsure if n >= 0]
    images = [drawing.of(line.words[n].bbox, line.turns, WIDER) for line, n in places]
    readings = dict(zip([(id(line), n) for line, n in places], read_lines(images), strict=True))
    for line in lines:
        alone = {n: differences([line.texts[n]], readings[id(line), n]) for n in line.unsure if n >= 0}
        line.update({n: diff[0] for n, diff in alone.items() if 0 in diff} | {n: "" for n in line.unsure if n < 0})


def _surroundings(lines: Sequence[_Compared], drawing: Drawing) -> None:
    """Read the lines that OCR detects in and around the box of each line.

    The layer over a scan can be off by a line: its words are compared with the recognised line that is most like them.
    """
    layer = unpainted_boxes(drawing.page)
    for line in lines:
        image = drawing.of(line.bbox, line.turns, 1.0)
        words = sorted(recognise(image), key=lambda word: word.x0)
        if _is_in_layer(layer, drawing.points(line.bbox)):
            line.update(differences(line.texts, _most_like(line.texts, words)))
            continue
        height, width = image.shape[:2]
        room = min(height, width) / 3
        inside = [
            word.text
            for word in words
            if room <= (word.x0 + word.x1) / 2 <= width - room and room <= (word.y0 + word.y1) / 2 <= height - room
        ]
        line.update(differences(line.texts, " ".join(inside)))


def _most_like(texts: Sequence[str], words: Sequence[Word]) -> str:
    """Return the recognised line that shares most letters with `texts`; "" where nothing was recognised."""
    letters = fold_letters(" ".join(texts))[0]
    readings = [" ".join(word.text for word in row) for row in by_line(words)]
    return max(readings, key=lambda row: _shared_letters(letters, fold_letters(row)[0]), default="")


def _shared_letters(one: str, other: str) -> int:
    """Return the number of letters that two texts share, in their order."""
    return sum(block.size for block in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks())


def _readable_parts(page: pymupdf.Page, line: Line) -> Iterator[Line]:
    """Yield the parts of a line that are short enough to be read at once."""
    part: list[LayerWord] = []
    for word in line:
        x0, y0, x1, y1 = BBox.union([w.bbox for w in (*part, word)]).to_page(page.rect.width, page.rect.height)
        letters = sum(len(w.text) for w in (*part, word))
        if part and (letters > MOST_CHARS or max(x1 - x0, y1 - y0) > MAX_WIDTH * min(x1 - x0, y1 - y0)):
            yield part
            part = []
        part.append(word)
    yield part


@dataclass(slots=True)
class _Compared:
    """The comparison of a line so far: `unsure` has the readings of each place that no pass has confirmed.

    A place is n for its word n of those compared, -1 - n for the gap before it. `indices` are their indices in `line`:
    other words, as signs, have no letters that OCR can recognise. At first all words are unsure. `turns` are the
    quarters by which the drawing is turned, counterclockwise, so that its words run from left to right. The line is
    `fresh` before the first pass that can find words that the text lacks.
    """

    line: Line
    indices: tuple[int, ...]
    bbox: BBox
    turns: int
    unsure: dict[int, list[str]]
    fresh: bool = True

    @classmethod
    def of(cls, line: Line, ratio: float) -> _Compared:
        """Return a line, unread, of a page that is `ratio` times as high as wide."""
        box = BBox.union([word.bbox for word in line])
        letters = sum(len(word.text) for word in line)
        turned = letters > 2 and (box.y1 - box.y0) * ratio > UPRIGHT * (box.x1 - box.x0)
        indices = tuple(n for n, word in enumerate(line) if fold_letters(word.text)[0] and readable(word.text))
        return cls(line, indices, box, int(turned), {n: [] for n in range(len(indices))})

    @property
    def words(self) -> list[LayerWord]:
        """The words that are compared."""
        return [self.line[n] for n in self.indices]

    @property
    def texts(self) -> list[str]:
        """The texts of the words that are compared."""
        return [word.text for word in self.words]

    def confirm(self, sure: Container[int]) -> None:
        """Confirm the words at the indices `sure` of `line`, which shows no further words.

        Does nothing where a word that is not compared is not among them.
        """
        if all(n in sure or n in self.indices for n in range(len(self.line))):
            self.unsure = {at: [] for at, n in enumerate(self.indices) if n not in sure}
            self.fresh = False

    def update(self, differing: Mapping[int, str]) -> None:
        """Keep as unsure what differs in this pass too; only the first one can add words that the text lacks."""
        places = [n for n in differing if n in self.unsure or (self.fresh and n < 0)]
        self.unsure = {n: [*self.unsure.get(n, ()), differing[n]] for n in places}
        self.fresh = False

    def mismatches(self) -> Iterator[Mismatch]:
        """Yield a mismatch for each place that no pass confirmed, unless its readings can be OCR errors."""
        for place, readings in sorted(self.unsure.items()):
            reading = next((each for each in readings if each), "")
            if place < 0:
                yield Mismatch("", reading, agreed=False)
            elif not is_misread(self.words[place].text, readings):
                yield Mismatch(self.words[place].text, reading, agreed=not reading or readings_agree(readings))
