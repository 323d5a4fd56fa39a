"""The comparison of lines with their page, look by look.

A word that one of several looks confirms agrees. Letters that OCR takes for one another are one, and a long word may
differ in a letter; a number not.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import numpy as np
import pymupdf
from numpy.typing import NDArray

from indexing.parse.hidden_text import unpainted_boxes
from indexing.parse.likeness.bitmap_fonts import name_ligatures
from indexing.parse.likeness.drawing import Drawing
from indexing.parse.likeness.letters import confirmed_words
from indexing.parse.likeness.marks import marked_words
from indexing.parse.likeness.readings import MOST_CHARS, differences, fold_letters, misread, readable, readings_agree
from indexing.parse.scan import Box4, Word, by_line, read_lines, recognise
from indexing.strikethrough import as_printed
from indexing.types import BBox, LayerWord, Mismatch

LARGER = 64
"""The height of a drawn line in pixels at a further look."""
WIDER = 0.12
"""The share of its height that is left around a line at a further look."""
MAX_WIDTH = 40
"""The width, as a multiple of the height, above which a line is cut into pieces: narrower letters are hard to read."""
UPRIGHT = 1.5
"""The height of a line, as a multiple of its width, from which its words run up or down the page."""

Line = Sequence[LayerWord]


def unlike(page: pymupdf.Page, lines: Sequence[Line]) -> tuple[Mismatch, ...]:
    """Return what `unlike_lines` finds, of all lines in one."""
    return tuple(mismatch for line in unlike_lines(page, lines) for mismatch in line)


def unlike_lines(page: pymupdf.Page, lines: Sequence[Line]) -> tuple[tuple[Mismatch, ...], ...]:
    """Return, of each line, the words that a `page`, as displayed, shows otherwise, in their order.

    The boxes are in fractions of the displayed page. Words with letters that cannot be recognised are not compared; a
    stroke through words that say they are struck out is no mark.
    """
    name_ligatures(page)
    printed = [as_printed([word.text for word in line]) for line in lines]
    lines = [
        [replace(word, text=text) for word, text in zip(line, texts, strict=True)]
        for line, (texts, _) in zip(lines, printed, strict=True)
    ]
    ratio = page.rect.height / page.rect.width
    pieces = [[_Compared.of(piece, ratio) for piece in _pieces(page, line)] for line in lines]
    compared = [piece for line in pieces for piece in line]
    drawing = Drawing(page)
    for look in (_single_letters, _whole_lines, _wider_lines, _single_words, _surroundings):
        left = [line for line in compared if line.unsure]
        if left:
            look(left, drawing)
    unlike = [[mismatch for piece in line for mismatch in piece.mismatches()] for line in pieces]
    for (n, k), shown in marked_words(lines, drawing).items():
        word = lines[n][k].text
        if k not in printed[n][1] and word not in [m.text for m in unlike[n]]:
            unlike[n].append(Mismatch(word, shown, agreed=False))
    return tuple(map(tuple, unlike))


def _is_of(layer: Sequence[Box4], box: Box4) -> bool:
    """Return True if the middle of a box (points) is in one of those of an OCR layer."""
    x0, y0, x1, y1 = box
    return any(a <= (x0 + x1) / 2 <= c and b <= (y0 + y1) / 2 <= d for a, b, c, d in layer)


def _single_letters(lines: Sequence[_Compared], drawing: Drawing) -> None:
    """Look at each glyph of level lines by itself, then by OCR at the words in doubt of lines that show none more."""
    level = [line for line in lines if not line.turns]
    for line, sure in zip(level, confirmed_words([line.line for line in level], drawing), strict=True):
        if sure is not None:
            line.confirm(sure)
    left = [line for line in level if line.unsure and not line.fresh]
    if left:
        _single_words(left, drawing)


def _whole_lines(lines: Sequence[_Compared], drawing: Drawing) -> None:
    _look(lines, [drawing.of(line.bbox, line.turns) for line in lines])


def _wider_lines(lines: Sequence[_Compared], drawing: Drawing) -> None:
    """Look at lines with some room around them, larger; at lines that run along the page the other way round."""
    _look(lines, [drawing.of(line.bbox, -line.turns, WIDER, LARGER) for line in lines])


def _look(lines: Sequence[_Compared], images: Sequence[NDArray[np.uint8]]) -> None:
    for line, reading in zip(lines, read_lines(images), strict=True):
        line.look(differences(line.texts, reading))


def _single_words(lines: Sequence[_Compared], drawing: Drawing) -> None:
    """Look at each word by itself: beside dotted lines, and in another size than its neighbours, it is read better."""
    places = [(line, n) for line in lines for n in line.unsure if n >= 0]
    images = [drawing.of(line.words[n].bbox, line.turns, WIDER) for line, n in places]
    readings = dict(zip([(id(line), n) for line, n in places], read_lines(images), strict=True))
    for line in lines:
        alone = {n: differences([line.texts[n]], readings[id(line), n]) for n in line.unsure if n >= 0}
        line.look({n: found[0] for n, found in alone.items() if 0 in found} | {n: "" for n in line.unsure if n < 0})


def _surroundings(lines: Sequence[_Compared], drawing: Drawing) -> None:
    """Look for lines in and around the box, as OCR finds them.

    The layer over a scan can be off by a line: of such words it is the recognised line that is most like them.
    """
    layer = unpainted_boxes(drawing.page)
    for line in lines:
        image = drawing.of(line.bbox, line.turns, 1.0)
        words = sorted(recognise(image), key=lambda word: word.x0)
        if _is_of(layer, drawing.points(line.bbox)):
            line.look(differences(line.texts, _most_like(line.texts, words)))
            continue
        height, width = image.shape[:2]
        room = min(height, width) / 3
        inside = [
            word.text
            for word in words
            if room <= (word.x0 + word.x1) / 2 <= width - room and room <= (word.y0 + word.y1) / 2 <= height - room
        ]
        line.look(differences(line.texts, " ".join(inside)))


def _most_like(texts: Sequence[str], words: Sequence[Word]) -> str:
    """Return the recognised line that is most like a line."""
    letters = fold_letters(" ".join(texts))[0]
    readings = [" ".join(word.text for word in row) for row in by_line(words)]
    return max(readings, key=lambda row: _shared_letters(letters, fold_letters(row)[0]), default="")


def _shared_letters(own: str, other: str) -> int:
    """Return the number of letters that two texts share, in their order."""
    return sum(block.size for block in SequenceMatcher(None, own, other, autojunk=False).get_matching_blocks())


def _pieces(page: pymupdf.Page, line: Line) -> Iterator[Line]:
    """Cut a line where it is too long to be read at once."""
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
    """A line with the places that no look has confirmed: n for its word n of those compared, -1 - n for the gap before.

    `compared` are the places in `line` of the words that are. Each unsure place has what was read there at every look;
    before the first look all words are unsure. `turns` are the quarters by which the drawing is turned,
    counterclockwise, for its words to run from left to right. The line is `fresh` before a look that can find words
    that the text lacks.
    """

    line: Line
    compared: tuple[int, ...]
    bbox: BBox
    turns: int
    unsure: dict[int, list[str]]
    fresh: bool = True

    @classmethod
    def of(cls, line: Line, ratio: float) -> _Compared:
        """Take a line of a page `ratio` times as high as wide."""
        box = BBox.union([word.bbox for word in line])
        letters = sum(len(word.text) for word in line)
        turned = letters > 2 and (box.y1 - box.y0) * ratio > UPRIGHT * (box.x1 - box.x0)
        compared = tuple(n for n, word in enumerate(line) if fold_letters(word.text)[0] and readable(word.text))
        return cls(line, compared, box, int(turned), {n: [] for n in range(len(compared))})

    @property
    def words(self) -> list[LayerWord]:
        """The words that are compared; the others, as signs are, have no letters that can be recognised."""
        return [self.line[n] for n in self.compared]

    @property
    def texts(self) -> list[str]:
        """Their texts."""
        return [word.text for word in self.words]

    def confirm(self, sure: Container[int]) -> None:
        """Take the words, places in `line`, that are seen in a line that shows no others.

        What is not compared must be seen too, or nothing is told.
        """
        if all(n in sure or n in self.compared for n in range(len(self.line))):
            self.unsure = {at: [] for at, n in enumerate(self.compared) if n not in sure}
            self.fresh = False

    def look(self, found: Mapping[int, str]) -> None:
        """Take what differs at a look; only the first one can find words that the text lacks."""
        places = [n for n in found if n in self.unsure or (self.fresh and n < 0)]
        self.unsure = {n: [*self.unsure.get(n, ()), found[n]] for n in places}
        self.fresh = False

    def mismatches(self) -> Iterator[Mismatch]:
        """Yield what no look confirmed, and what is no error of OCR."""
        for place, readings in sorted(self.unsure.items()):
            reading = next((each for each in readings if each), "")
            if place < 0:
                yield Mismatch("", reading, agreed=False)
            elif not misread(self.words[place].text, readings):
                yield Mismatch(self.words[place].text, reading, agreed=not reading or readings_agree(readings))
