"""Likeness: the words of a text, held against the pixels in their boxes, read as OCR reads them.

A text says what a program put there, the page what a reader sees. Nothing but the pixels tells if they agree: fonts
map glyphs to any character, and words are drawn over, cut off or left undrawn. A word that one of several looks
confirms agrees. Letters that OCR takes for one another are one, and a long word may differ in a letter; a number not.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

import numpy as np
import pymupdf
from numpy.typing import NDArray

from indexing.parse.hidden_text import unpainted
from indexing.parse.scan import Word, alphabet, read_lines, recognise
from indexing.types import BBox, LayerWord, Mismatch

HEIGHT, LARGER = 48, 64
"""The height of a drawn line in pixels, and at a further look."""
WIDER = 0.12
"""The share of its height that is left around a line at a further look."""
MAX_WIDTH = 40
"""The width, as a multiple of the height, above which a line is cut into pieces: narrower letters are hard to read."""
MOST_CHARS = 200
"""The most characters of a piece of a line."""
MAX_PIXELS = 8_000_000
"""The most pixels of a drawing."""
LONG = 5
"""The least letters of a word that may differ in one of them: OCR errs so often that it would accuse honest pages."""
UPRIGHT = 1.5
"""The height of a line, as a multiple of its width, from which its words run up or down the page."""
_ALIKE = str.maketrans({"o": "0", "l": "1", "i": "1", "|": "1", "s": "5", "m": "rn", "w": "vv"})
"""The characters that OCR takes for one another; no digit becomes another digit."""

Box = tuple[float, float, float, float]
Line = Sequence[LayerWord]


def unlike(page: pymupdf.Page, lines: Sequence[Line]) -> tuple[Mismatch, ...]:
    """Return the words of `lines` that a `page`, as displayed, shows otherwise, in their order; each line is looked at.

    The boxes are in fractions of the displayed page. Words with letters that cannot be recognised are not compared.
    """
    ratio = page.rect.height / page.rect.width
    compared = [_Compared.of(piece, ratio) for line in lines for piece in _pieces(page, line)]
    drawing = _Drawing(page)
    for look in (_whole_lines, _wider_lines, _single_words, _surroundings):
        left = [line for line in compared if line.unsure]
        if left:
            look(left, drawing)
    return tuple(mismatch for line in compared for mismatch in line.mismatches())


def _whole_lines(lines: Sequence[_Compared], drawing: _Drawing) -> None:
    for line, reading in zip(lines, read_lines([drawing.of(line.bbox, line.turns) for line in lines]), strict=True):
        line.look(differences(line.texts, reading))


def _wider_lines(lines: Sequence[_Compared], drawing: _Drawing) -> None:
    """Look at lines with some room around them, larger; at lines that run along the page the other way round."""
    images = [drawing.of(line.bbox, -line.turns, WIDER, LARGER) for line in lines]
    for line, reading in zip(lines, read_lines(images), strict=True):
        line.look(differences(line.texts, reading))


def _single_words(lines: Sequence[_Compared], drawing: _Drawing) -> None:
    """Look at each word by itself: beside dotted lines, and in another size than its neighbours, it is read better."""
    places = [(line, n) for line in lines for n in line.unsure if n >= 0]
    images = [drawing.of(line.words[n].bbox, line.turns, WIDER) for line, n in places]
    readings = dict(zip([(id(line), n) for line, n in places], read_lines(images), strict=True))
    for line in lines:
        alone = {n: differences([line.texts[n]], readings[id(line), n]) for n in line.unsure if n >= 0}
        line.look({n: found[0] for n, found in alone.items() if 0 in found} | {n: "" for n in line.unsure if n < 0})


def _surroundings(lines: Sequence[_Compared], drawing: _Drawing) -> None:
    """Look for lines in and around the box, as OCR finds them.

    The layer over a scan can be off by a line: of such words it is the recognised line that is most like them.
    """
    layer = unpainted(drawing.page)
    for line in lines:
        image = drawing.of(line.bbox, line.turns, 1.0)
        words = sorted(recognise(image), key=lambda word: word.x0)
        x0, y0, x1, y1 = drawing.points(line.bbox)
        if any(a <= (x0 + x1) / 2 <= c and b <= (y0 + y1) / 2 <= d for a, b, c, d in layer):
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
    rows: dict[int, list[str]] = defaultdict(list)
    for word in words:
        rows[word.line].append(word.text)
    said = folded(" ".join(texts))[0]
    readings = [" ".join(row) for row in rows.values()]
    return max(readings, key=lambda row: _shared(said, folded(row)[0]), default="")


def _shared(own: str, other: str) -> int:
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
    """A line with the places that no look has confirmed: n for its word n, -1 - n for the gap before it.

    Each has what was read there at every look; before the first look all words are unsure. `turns` are the quarters by
    which its drawing is turned, counterclockwise, for its words to run from left to right.
    """

    words: list[LayerWord]
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
        kept = [word for word in line if folded(word.text)[0] and _readable(word.text)]
        return cls(kept, box, int(turned), {n: [] for n in range(len(kept))})

    @property
    def texts(self) -> list[str]:
        """The words."""
        return [word.text for word in self.words]

    def look(self, found: Mapping[int, str]) -> None:
        """Take what differs at a look; only the first one can find words that the text lacks."""
        self.unsure = {n: [*self.unsure.get(n, ()), found[n]] for n in found if self.fresh or n in self.unsure}
        self.fresh = False

    def mismatches(self) -> Iterator[Mismatch]:
        """Yield what no look confirmed, and what is no error of OCR."""
        for place, seen in sorted(self.unsure.items()):
            shown = next((each for each in seen if each), "")
            if place < 0:
                yield Mismatch("", shown, agreed=False)
            elif not _misread(self.words[place].text, seen):
                yield Mismatch(self.words[place].text, shown, agreed=not shown or _agreed(seen))


class _Drawing:
    """A page, as displayed, of which pieces are drawn."""

    def __init__(self, page: pymupdf.Page) -> None:
        self.page = page
        self._list = page.get_displaylist()

    def points(self, box: BBox) -> Box:
        """Return a box in points of the page."""
        return box.to_page(self.page.rect.width, self.page.rect.height)

    def of(self, box: BBox, turns: int, pad: float = 0.0, height: int = HEIGHT) -> NDArray[np.uint8]:
        """Draw a line in a box (h, w, 3) in BGR, turned by `turns` quarters, so that it is `height` pixels high.

        Around it are left `pad` heights.
        """
        x0, y0, x1, y1 = self.points(box)
        own = max(min(x1 - x0, y1 - y0) if turns else y1 - y0, 0.1)
        clip = pymupdf.Rect(x0 - pad * own, y0 - pad * own, x1 + pad * own, y1 + pad * own)
        zoom = min(height / own, (MAX_PIXELS / (clip.width * clip.height)) ** 0.5)
        matrix = pymupdf.Matrix(zoom, zoom)
        drawn = self._list.get_pixmap(matrix=matrix, colorspace=pymupdf.csRGB, clip=clip, alpha=False)
        image = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.width, 3)[:, :, ::-1]
        return np.ascontiguousarray(np.rot90(image, turns))


def folded(text: str) -> tuple[str, list[int]]:
    """Return the letters and digits of a text, those that look alike as one, and the place of each in the text.

    Points and commas between digits count, as one sign. Runs of spaces must be one space.
    """
    found: list[str] = []
    places: list[int] = []
    stop = -1
    for at, sign in enumerate(text):
        if sign in ".,\u00b7":
            stop = at if found and places[-1] == at - 1 and found[-1].isdigit() else -1
        for plain in unicodedata.normalize("NFKD", sign).casefold().translate(_ALIKE):
            if plain.isalnum():
                if stop >= at - 2 and stop >= 0 and plain.isdigit():
                    found.append(".")
                    places.append(stop)
                stop = -1
                found.append(plain)
                places.append(at)
    return "".join(found), places


def differences(words: Sequence[str], reading: str) -> dict[int, str]:
    """Return the places at which a reading of a line differs from its words, each with the piece that is read there.

    The key is n for word n, -1 - n for a word more before word n. More at either end belongs to the neighbours.
    """
    reading = " ".join(reading.split())
    whole, origins = folded(" ".join(words))
    if len(whole) > 2 * MOST_CHARS:
        return dict.fromkeys(range(len(words)), reading)  # no line of print has as many
    read, places = folded(reading)
    opens = np.cumsum([0, *(len(word) + 1 for word in words)])
    starts: list[int] = np.searchsorted(origins, opens[:-1]).tolist()
    ends: list[int] = np.searchsorted(origins, opens[1:]).tolist()
    found: dict[int, str] = {}
    codes = SequenceMatcher(None, whole, read, autojunk=False).get_opcodes()
    for tag, i1, i2, j1, j2 in codes:
        if tag == "equal":
            continue
        extra = reading[places[j1] : places[j2 - 1] + 1] if j2 > j1 else ""
        if tag == "insert" and i1 in (0, len(whole)):
            at = places[j2 - 1] + 1 if i1 == 0 else places[j1] - 1
            if 0 <= at < len(reading) and reading[at].isalnum():
                found[0 if i1 == 0 else len(words) - 1] = reading
        elif tag == "insert" and i1 in starts:
            if len(extra) > 1 or extra.isdigit():
                found[-1 - starts.index(i1)] = extra
        else:
            for n, (start, end) in enumerate(zip(starts, ends, strict=True)):
                if start < max(i2, i1 + 1) and i1 < end:
                    found[n] = _piece(reading, places, codes, start, end)
    return found


def _piece(
    reading: str, places: Sequence[int], codes: Sequence[tuple[str, int, int, int, int]], start: int, end: int
) -> str:
    """Return the piece of a reading in which the characters from `start` to `end` are."""
    own = [(max(start, i1) - i1, min(end, i2) - i1, i2 - i1, j1, j2) for _, i1, i2, j1, j2 in codes
           if (i1 < end and i2 > start) or (i1 == i2 and start < i1 < end)]  # fmt: skip
    spans = [(j1 + a if b - a < n else j1, j1 + b if b < n else j2) for a, b, n, j1, j2 in own if j2 > j1]
    spans = [(a, min(b, len(places))) for a, b in spans if a < min(b, len(places))]
    return reading[places[spans[0][0]] : places[spans[-1][1] - 1] + 1] if spans else ""


def _misread(word: str, seen: Sequence[str]) -> bool:
    """Return True if the readings of a word without digits can be errors of OCR: one is near it.

    Of a long word one letter may differ; of any word a third, where no two looks agree on what is there.
    """
    own = folded(word)[0]
    if any(c.isdigit() for c in word):
        return False
    read = [folded(shown)[0] for shown in seen]
    most = max(1 if len(own) >= LONG else 0, 0 if _agreed(seen) else math.ceil(len(own) / 3))
    return any(_edits(own, other) <= most for other in read)


def _agreed(seen: Sequence[str]) -> bool:
    """Return True if two looks read the same letters."""
    return max(Counter(filter(None, (folded(shown)[0] for shown in seen))).values(), default=0) > 1


def _edits(own: str, other: str) -> int:
    """Return an upper bound of the letters that are added, left out or put in place of others."""
    codes = SequenceMatcher(None, own, other, autojunk=False).get_opcodes()
    return sum(max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in codes if tag != "equal")


@lru_cache(maxsize=4096)
def _readable(word: str) -> bool:
    """Return True if all letters and digits of a word can be recognised."""
    plain = unicodedata.normalize("NFKD", word)
    if len(word) == 1 and not word.isascii():
        return False  # the signs of symbol fonts have letters for names
    return all(c in alphabet() for c in plain if c.isalnum())
