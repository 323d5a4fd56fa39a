"""The look at letters: which words of a line show, glyph by glyph, the letters that the text says.

It confirms or it says nothing. Every glyph of a word, signs too, must look like what it is said to be, they must stand
from left to right as they are read, and beside and between the words there must be no ink: a page can show a word more.
Which letter a crop shows tells a network of two layers, fitted on the letters of open fonts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pymupdf
from numpy.typing import NDArray

from indexing.parse.likeness.drawing import SIDE, Drawing, Ink, glyph_crops
from indexing.parse.likeness.readings import fold_letters
from indexing.parse.scan import Box4
from indexing.types import LayerWord

NOTHING, SIGN, POINT = "nothing", "sign", "."
"""The kinds beside letters and digits: what is no glyph, or not a whole one; a sign; a point or comma."""
_FILE = Path(__file__).with_name("letters.npz")
LEVEL = 0.9999
"""The least cosine between a line and the horizontal."""
AROUND = 20.0
"""How far around a box glyphs are taken, in points: what is cut by its edge is no glyph of its lines."""
_FLAGS = pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_PRESERVE_LIGATURES
LEAST, LEAST_OF_A_FIGURE = 0.6, 0.9
"""The least probability with which a letter or sign is what the text says; and a figure, or a point between figures."""
NARROW, WIDE = 0.05, 4.0
"""The least and the greatest width of a glyph, as shares of its size: others are combining marks, or whole words."""
TALLEST = 4.0
"""The greatest size of a glyph, as a multiple of the height of its word."""
FAINTEST = 0.35
"""The least ink, of 1, that the darkest pixel of a letter has: what is paler than its neighbours is not seen there."""
NEAR, REACH, FAR = 0.05, 0.15, 0.2
"""How far from a word, as shares of the size, its own strokes end, those of a letter, and neighbours can begin."""
HIGH, LOW = 0.72, 0.02
"""Where ink between words would be a letter's or a point's: from and to, above the baseline, as shares of the size."""
STRAY = 0.35
"""The ink, of 1, above which a pixel between words is some mark."""


@lru_cache(maxsize=4096)
def kind_of(char: str) -> str:
    """Return the kind of a character: its letters and digits, those that look alike as one; POINT or SIGN."""
    return fold_letters(char)[0] or (POINT if char in ".,\u00b7" else SIGN)


@dataclass(frozen=True, slots=True)
class LetterNetwork:
    """`kinds` are what it tells apart; `layers` are weights (n, m) and offsets (m,), by turns."""

    kinds: tuple[str, ...]
    layers: tuple[NDArray[np.float32], ...]

    def probabilities(self, crops: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return how probable each kind is for each of `crops` (n, SIDE, SIDE): (n, kinds)."""
        x = crops.reshape(len(crops), SIDE * SIDE)
        last = len(self.layers) - 2
        for n in range(0, len(self.layers), 2):
            x = x @ self.layers[n] + self.layers[n + 1]
            x = x if n == last else np.maximum(x, 0)
        raised = np.exp(x - x.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    @classmethod
    def load(cls, path: Path) -> LetterNetwork:
        """Read a network. Raises OSError or ValueError for what is none."""
        with np.load(path, allow_pickle=False) as arrays:
            layers = tuple(arrays[f"layer{n}"].astype(np.float32) for n in range(len(arrays.files) - 1))
            return cls(tuple(str(kind) for kind in arrays["kinds"]), layers)


@lru_cache(maxsize=1)
def letter_network() -> LetterNetwork:
    """Return the network that is shipped."""
    return LetterNetwork.load(_FILE)


@dataclass(frozen=True, slots=True)
class PageGlyphs:
    """The characters of a page that stand on level lines, without spaces.

    `places` (n, 6) has, of each, the left and the right edge, the baseline and the size of its font, then the upper and
    the lower edge of its box, in points of the page as displayed.
    """

    chars: tuple[str, ...]
    places: NDArray[np.float64]

    @classmethod
    def of(cls, page: pymupdf.Page, around: Box4 | None = None) -> PageGlyphs:
        """Take the glyphs of a page, or those in and near a box (points) of it; none of one that is rotated."""
        chars: list[str] = []
        places: list[tuple[float, ...]] = []
        clip = pymupdf.Rect(*around) if around else None
        clip = clip and pymupdf.Rect(clip.x0 - AROUND, clip.y0 - AROUND, clip.x1 + AROUND, clip.y1 + AROUND)
        blocks = [] if page.rotation else page.get_text("rawdict", flags=_FLAGS, clip=clip)["blocks"]
        for line in (line for block in blocks for line in block.get("lines", ()) if line["dir"][0] > LEVEL):
            for span in line["spans"]:
                for char in span["chars"]:
                    if not char["c"].isspace():
                        x0, y0, x1, y1 = char["bbox"]
                        chars.append(char["c"])
                        places.append((x0, x1, char["origin"][1], span["size"], y0, y1))
        return cls(tuple(chars), np.array(places, np.float64).reshape(-1, 6))

    def within(self, box: Box4) -> list[int]:
        """Return the places, in the order of the text, of the glyphs whose middle is in a box (points)."""
        x0, y0, x1, y1 = box
        x = self.places[:, 0] + self.places[:, 1]
        y = self.places[:, 4] + self.places[:, 5]
        return np.flatnonzero((2 * x0 <= x) & (x <= 2 * x1) & (2 * y0 <= y) & (y <= 2 * y1)).tolist()


@dataclass(frozen=True, slots=True)
class LineGlyphs:
    """A line of a text, the glyphs that spell each of its words (places of the page's glyphs), and its ink."""

    glyphs: PageGlyphs
    own: tuple[tuple[int, ...], ...]
    ink: Ink

    @classmethod
    def of(cls, words: Sequence[LayerWord], glyphs: PageGlyphs, drawing: Drawing) -> LineGlyphs | None:
        """Find the glyphs of a line's words and draw it; None where a word is not spelt by its glyphs."""
        boxes = [drawing.points(word.bbox) for word in words]
        spelt = tuple(_spelt(word.text, glyphs, box) for word, box in zip(words, boxes, strict=True))
        if not all(spelt):
            return None  # where the ink of such a word belongs is not known
        corners = np.array(boxes)
        whole = (*corners[:, :2].min(axis=0).tolist(), *corners[:, 2:].max(axis=0).tolist())
        return cls(glyphs, spelt, drawing.ink((whole[0], whole[1], whole[2], whole[3])))

    def crops(self) -> NDArray[np.float32]:
        """Return the crop (n, SIDE, SIDE) of each glyph, word by word."""
        return glyph_crops(self.ink, self.glyphs.places[[n for word in self.own for n in word], :4])

    def stands_alone(self) -> bool:
        """Return True if no ink is beside and between the words, where a letter would have some."""
        indices = [n for word in self.own for n in word]
        places = self.glyphs.places[indices]
        baseline, size = float(np.median(places[:, 2])), float(np.median(places[:, 3]))
        ends = sorted((right, REACH if self.glyphs.chars[n].isalpha() else NEAR)
                      for n, right in zip(indices, places[:, 1].tolist(), strict=True))  # fmt: skip
        lefts = np.sort(places[:, 0]).tolist()
        # Of glyphs in their order one ends and the next begins. Beside the first and the last stand other words.
        gaps = [(lefts[0] - FAR * size, lefts[0] - NEAR * size)]
        gaps += [(end + reach * size, left - NEAR * size) for (end, reach), left in zip(ends, lefts[1:], strict=False)]
        gaps += [(ends[-1][0] + ends[-1][1] * size, ends[-1][0] + FAR * size)]
        _, top = self.ink.at(0, baseline - HIGH * size)
        _, bottom = self.ink.at(0, baseline - LOW * size)
        rows = self.ink.pixels[max(0, round(top)) : max(0, round(bottom))]
        return not any(
            rows[:, max(0, round(self.ink.at(a, 0)[0])) : max(0, round(self.ink.at(b, 0)[0]))].max(initial=0.0) > STRAY
            for a, b in gaps
            if b > a
        )


def confirmed_words(lines: Sequence[Sequence[LayerWord]], drawing: Drawing) -> list[set[int] | None]:
    """Return, of each line, the words whose glyphs all look like their letters.

    None stands for a line of which this cannot be told: there is ink between its words, they are not spelt by glyphs,
    or the page is rotated.
    """
    boxes = np.array([drawing.points(word.bbox) for line in lines for word in line]).reshape(-1, 4)
    if not len(boxes):
        return [None for _ in lines]
    (x0, y0), (x1, y1) = boxes[:, :2].min(axis=0).tolist(), boxes[:, 2:].max(axis=0).tolist()
    page = PageGlyphs.of(drawing.page, (x0, y0, x1, y1))
    if not page.chars:
        return [None for _ in lines]
    placed = [LineGlyphs.of(line, page, drawing) for line in lines]
    usable = [line if line is not None and line.stands_alone() else None for line in placed]
    crops = [line.crops() if line is not None else np.zeros((0, SIDE, SIDE), np.float32) for line in usable]
    probabilities = letter_network().probabilities(np.concatenate(crops))  # one product of all: many are slow
    ends = np.cumsum([len(own) for own in crops])
    return [
        None if line is None else _sure_words(line, own, probabilities[end - len(own) : end])
        for line, own, end in zip(usable, crops, ends.tolist(), strict=True)
    ]


def _sure_words(line: LineGlyphs, shown: NDArray[np.float32], seen: NDArray[np.float32]) -> set[int]:
    """Return the words of a line whose glyphs are all seen, by the probabilities of all kinds for each crop."""
    kinds = letter_network().kinds
    darkest = shown.max(axis=(1, 2), initial=0.0)
    sure: set[int] = set()
    at = 0
    for n, word in enumerate(line.own):
        chars = [line.glyphs.chars[m] for m in word]
        if all(
            darkest[at + place] >= FAINTEST and _is_sure(chars, place, seen[at + place], kinds)
            for place in range(len(word))
        ):
            sure.add(n)
        at += len(word)
    return sure


def _is_sure(chars: Sequence[str], place: int, told: NDArray[np.float32], kinds: Sequence[str]) -> bool:
    """Return True if a character of a word is seen in its place, by the probabilities of all kinds.

    A point counts as one between digits only; elsewhere it is any sign.
    """
    kind = kind_of(chars[place])
    between = 0 < place < len(chars) - 1 and chars[place - 1].isdigit() and chars[place + 1].isdigit()
    own = (POINT, SIGN) if kind in (POINT, SIGN) and not (kind == POINT and between) else (kind,)
    strict = chars[place].isdigit() or (kind == POINT and between)
    likely = sum(float(told[kinds.index(one)]) for one in own if one in kinds)
    return likely >= (LEAST_OF_A_FIGURE if strict else LEAST)


def _spelt(text: str, glyphs: PageGlyphs, box: Box4) -> tuple[int, ...]:
    """Return the glyphs of a word that spell it from left to right; none where they do not."""
    indices = glyphs.within(box)
    places = glyphs.places[indices]
    sizes = places[:, 3]
    widths = (places[:, 1] - places[:, 0]) / np.maximum(sizes, 0.01)
    spelt = "".join(glyphs.chars[n] for n in indices)
    if not indices or fold_letters(spelt)[0] != fold_letters(text)[0]:
        return ()
    runs = (np.diff(places[:, :2].sum(axis=1)) > 0).all()
    fits = (sizes > 0) & (sizes <= TALLEST * (box[3] - box[1])) & (widths > NARROW) & (widths < WIDE)
    return tuple(indices) if runs and fits.all() else ()
