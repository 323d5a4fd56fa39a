"""The recognition of single glyphs: which words of a line show the letters of the text, TeX's bitmap fonts included.

It confirms words, or says nothing. Every glyph of a word, also a sign, must look like its character, glyphs must be in
reading order from left to right, and there must be no ink beside and between the words, as of a further word. A network
of two layers, trained on the letters of open fonts, recognises the letter in a crop.

TeX numbers glyphs in two ways, ligatures below 32 in both. The pixels of ligatures on a page show which way it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pymupdf
from numpy.typing import NDArray

from indexing.parse.print_verification.drawing import SIDE, Drawing, Ink, crop, glyph_crops
from indexing.parse.print_verification.readings import fold_letters
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
    """Return the kind of a character: its letters or digits, those that look alike as one; otherwise POINT or SIGN."""
    return fold_letters(char)[0] or (POINT if char in ".,\u00b7" else SIGN)


@dataclass(frozen=True, slots=True)
class LetterNetwork:
    """A classifier of glyphs into `kinds`; `layers` are, alternating, weights (n, m) and offsets (m,)."""

    kinds: tuple[str, ...]
    layers: tuple[NDArray[np.float32], ...]

    def probabilities(self, crops: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probability of each kind for each of `crops` (n, SIDE, SIDE): (n, kinds)."""
        x = crops.reshape(len(crops), SIDE * SIDE)
        last = len(self.layers) - 2
        for n in range(0, len(self.layers), 2):
            x = x @ self.layers[n] + self.layers[n + 1]
            x = x if n == last else np.maximum(x, 0)
        exponentials = np.exp(x - x.max(axis=1, keepdims=True))
        return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))

    @classmethod
    def load(cls, path: Path) -> LetterNetwork:
        """Load a network from a file. Raises OSError or ValueError if it has none."""
        with np.load(path, allow_pickle=False) as arrays:
            layers = tuple(arrays[f"layer{n}"].astype(np.float32) for n in range(len(arrays.files) - 1))
            return cls(tuple(str(kind) for kind in arrays["kinds"]), layers)


@lru_cache(maxsize=1)
def letter_network() -> LetterNetwork:
    """Return the network of the package."""
    return LetterNetwork.load(_FILE)


@dataclass(frozen=True, slots=True)
class PageGlyphs:
    """The characters of a page in level lines, without spaces.

    `places` (n, 6) has the left and the right edge, the baseline and the font size of each, then the upper and the
    lower edge of its box, in points of the page as displayed.
    """

    chars: tuple[str, ...]
    places: NDArray[np.float64]

    @classmethod
    def of(cls, page: pymupdf.Page, around: Box4 | None = None) -> PageGlyphs:
        """Return the glyphs of a page, or those in and near a box (points) of it; none if it is rotated."""
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

    def indices_in(self, box: Box4) -> list[int]:
        """Return the indices, in the order of the text, of the glyphs whose middle is in a box (points)."""
        x0, y0, x1, y1 = box
        x = self.places[:, 0] + self.places[:, 1]
        y = self.places[:, 4] + self.places[:, 5]
        return np.flatnonzero((2 * x0 <= x) & (x <= 2 * x1) & (2 * y0 <= y) & (y <= 2 * y1)).tolist()


@dataclass(frozen=True, slots=True)
class LineGlyphs:
    """A line of a text: the glyphs of its page, the indices in them of those of each word, and its ink."""

    glyphs: PageGlyphs
    by_word: tuple[tuple[int, ...], ...]
    ink: Ink

    @classmethod
    def of(cls, words: Sequence[LayerWord], glyphs: PageGlyphs, drawing: Drawing) -> LineGlyphs | None:
        """Return the glyphs and the ink of a line of words; None where the glyphs of a word do not spell it."""
        boxes = [drawing.points(word.bbox) for word in words]
        word_glyphs = tuple(_glyphs_of_word(word.text, glyphs, box) for word, box in zip(words, boxes, strict=True))
        if not all(word_glyphs):
            return None  # where the ink of such a word belongs is not known
        corners = np.array(boxes)
        line_box = (*corners[:, :2].min(axis=0).tolist(), *corners[:, 2:].max(axis=0).tolist())
        return cls(glyphs, word_glyphs, drawing.ink((line_box[0], line_box[1], line_box[2], line_box[3])))

    def crops(self) -> NDArray[np.float32]:
        """Return the crop (n, SIDE, SIDE) of each glyph, word by word."""
        return glyph_crops(self.ink, self.glyphs.places[[n for word in self.by_word for n in word], :4])

    def stands_alone(self) -> bool:
        """Return True if no ink is beside or between the words at the height of letters."""
        indices = [n for word in self.by_word for n in word]
        places = self.glyphs.places[indices]
        baseline, size = float(np.median(places[:, 2])), float(np.median(places[:, 3]))
        ends = sorted((right, REACH if self.glyphs.chars[n].isalpha() else NEAR)
                      for n, right in zip(indices, places[:, 1].tolist(), strict=True))  # fmt: skip
        lefts = np.sort(places[:, 0]).tolist()
        # Of glyphs in their order one ends and the next begins. Beside the first and the last are other words.
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
    """Return the indices of the words in each line whose glyphs all look like their letters.

    None stands for a line that cannot be compared: there is ink between its words, glyphs do not spell them, or the
    page is rotated.
    """
    boxes = np.array([drawing.points(word.bbox) for line in lines for word in line]).reshape(-1, 4)
    if not len(boxes):
        return [None for _ in lines]
    (x0, y0), (x1, y1) = boxes[:, :2].min(axis=0).tolist(), boxes[:, 2:].max(axis=0).tolist()
    glyphs = PageGlyphs.of(drawing.page, (x0, y0, x1, y1))
    if not glyphs.chars:
        return [None for _ in lines]
    line_glyphs = [LineGlyphs.of(line, glyphs, drawing) for line in lines]
    usable = [line if line is not None and line.stands_alone() else None for line in line_glyphs]
    crops = [line.crops() if line is not None else np.zeros((0, SIDE, SIDE), np.float32) for line in usable]
    probabilities = letter_network().probabilities(np.concatenate(crops))  # one product of all: many are slow
    ends = np.cumsum([len(own) for own in crops])
    return [
        None if line is None else _sure_words(line, own, probabilities[end - len(own) : end])
        for line, own, end in zip(usable, crops, ends.tolist(), strict=True)
    ]


def _sure_words(line: LineGlyphs, crops: NDArray[np.float32], probabilities: NDArray[np.float32]) -> set[int]:
    """Return the indices of the words whose glyphs are all recognised, by `probabilities` (n, kinds) of the `crops`."""
    kinds = letter_network().kinds
    darkest = crops.max(axis=(1, 2), initial=0.0)
    sure: set[int] = set()
    at = 0
    for n, word in enumerate(line.by_word):
        chars = [line.glyphs.chars[m] for m in word]
        if all(
            darkest[at + place] >= FAINTEST and _is_sure(chars, place, probabilities[at + place], kinds)
            for place in range(len(word))
        ):
            sure.add(n)
        at += len(word)
    return sure


def _is_sure(chars: Sequence[str], place: int, probabilities: NDArray[np.float32], kinds: Sequence[str]) -> bool:
    """Return True if the character at `place` of a word is recognised, by the probabilities of all kinds.

    A point counts as one between digits only; elsewhere it is any sign.
    """
    kind = kind_of(chars[place])
    between = 0 < place < len(chars) - 1 and chars[place - 1].isdigit() and chars[place + 1].isdigit()
    accepted_kinds = (POINT, SIGN) if kind in (POINT, SIGN) and not (kind == POINT and between) else (kind,)
    is_figure = chars[place].isdigit() or (kind == POINT and between)
    probability = sum(float(probabilities[kinds.index(one)]) for one in accepted_kinds if one in kinds)
    return probability >= (LEAST_OF_A_FIGURE if is_figure else LEAST)


def _glyphs_of_word(text: str, glyphs: PageGlyphs, box: Box4) -> tuple[int, ...]:
    """Return the indices of the glyphs that spell a word from left to right in its box; empty where they do not."""
    indices = glyphs.indices_in(box)
    places = glyphs.places[indices]
    sizes = places[:, 3]
    widths = (places[:, 1] - places[:, 0]) / np.maximum(sizes, 0.01)
    spelling = "".join(glyphs.chars[n] for n in indices)
    if not indices or fold_letters(spelling)[0] != fold_letters(text)[0]:
        return ()
    runs = (np.diff(places[:, :2].sum(axis=1)) > 0).all()
    fits = (sizes > 0) & (sizes <= TALLEST * (box[3] - box[1])) & (widths > NARROW) & (widths < WIDE)
    return tuple(indices) if runs and fits.all() else ()


LIGATURES = "\ufb00\ufb01\ufb02\ufb03\ufb04"
ENCODINGS = (
    dict(enumerate("\u201c\u201d\u201e\u00ab\u00bb\u2013\u2014", 16)) | dict(enumerate(LIGATURES, 27)),
    dict(enumerate("\u0393\u0394\u0398\u039b\u039e\u03a0\u03a3\u03a5\u03a6\u03a8\u03a9" + LIGATURES))
    | {34: "\u201d", 92: "\u201c", 123: "\u2013", 124: "\u2014"},
)
"""Where TeX's encodings T1 and OT1 differ from ASCII, as far as plain text needs it: characters by number."""
SMALLEST = 4.0
"""The least size in points of a font whose ligatures are recognised."""


def name_ligatures(page: pymupdf.Page) -> None:
    """Map the glyphs of bitmap fonts on a `page`, in the open document, to the characters of TeX's encoding that fits.

    A font is unchanged if one of its ligatures looks otherwise, if it has a map, and on a rotated page.
    """
    document = page.parent
    fonts = {
        name: xref
        for xref, _, kind, own, *_ in page.get_fonts()
        if kind == "Type3" and not page.rotation and document.xref_get_key(xref, "ToUnicode")[0] == "null"
        for name in (own, f"Type3 ({xref} 0 R)")
    }
    for name, ligatures in (_ligature_kinds(page, fonts) if fonts else {}).items():
        for encoding in ENCODINGS:
            likely = [kinds[kind_of(encoding[code])] for code, kinds in ligatures.items() if code in encoding]
            if likely and min(likely) >= LEAST:
                lines = " ".join(f"<{code:02X}> <{ord(sign):04X}>" for code, sign in encoding.items())
                head = f"begincmap 1 begincodespacerange <00> <FF> endcodespacerange {len(encoding)} beginbfchar"
                document.update_object(stream := document.get_new_xref(), "<<>>")
                document.update_stream(stream, f"{head} {lines} endbfchar endcmap".encode())
                document.xref_set_key(fonts[name], "ToUnicode", f"{stream} 0 R")
                pymupdf.TOOLS.store_shrink(100)  # MuPDF has read the font before
                break


def _ligature_kinds(page: pymupdf.Page, fonts: dict[str, int]) -> dict[str, dict[int, dict[str, float]]]:
    """Return the probability of each kind of letter, by font and glyph number, for the first glyph of each ligature."""
    numbers = {code for encoding in ENCODINGS for code, sign in encoding.items() if sign in LIGATURES}
    drawing, network = Drawing(page), letter_network()
    by_font: dict[str, dict[int, dict[str, float]]] = {}
    for span in (span for span in page.get_texttrace() if span["font"] in fonts and span["size"] >= SMALLEST):
        name, size = span["font"], span["size"]
        for _, code, (_, y), (x0, _, x1, _) in span["chars"]:
            by_number = by_font.setdefault(name, {})
            if code in numbers and code not in by_number and NARROW * size < x1 - x0 < WIDE * size:
                ink = drawing.ink((x0 - size, y - size, x1 + size, y + size / 3))
                probabilities = network.probabilities(crop(ink, (x0, x1), y, size)[np.newaxis])[0].tolist()
                by_number[code] = dict(zip(network.kinds, probabilities, strict=True))
    return by_font
