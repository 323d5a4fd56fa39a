"""Marks: ink on and beside the figures of a line that no glyph of its text accounts for, as a minus drawn as a stroke.

The text does not have what paths draw: "21" would be quoted where a reader sees −21, 9.12 or 91 km. Every piece of a
drawing on or right beside a number is measured from the baseline, in sizes of the number's font. A stroke or a point in
the place of a sign is a mark; OCR decides whether a piece as large as a letter is one. Rules, frames, grounds, bullets,
underlines and the dots of leaders are no marks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pymupdf
from numpy.typing import NDArray

from indexing.parse.print_verification.drawing import Drawing
from indexing.parse.print_verification.letters import PageGlyphs
from indexing.parse.print_verification.readings import fold_letters
from indexing.parse.scan import Box4, read_lines
from indexing.types import BBox, LayerWord

BESIDE, CLOSE, TOUCHING = 0.6, 0.4, 0.2
"""How far from a number a dash or a letter, a point or an upright, and a point above the baseline are its own."""
THIN, POINT, LARGE = 0.16, 0.34, 1.2
"""The greatest thickness of a stroke and side of a point; the side from which a piece is no letter and no sign."""
OVER, TOP, WITHIN = 0.66, 0.9, 0.05
"""The height from which a stroke is above the figures, and up to which one is near them, and letters go; how deep a
piece may reach into a number that is beside it, and the least side of a point."""
SHARE_OF_SIZE, DESCENT = 0.75, 0.22
"""The size and the depth below the baseline of a font, as shares of the height of a word, where it has no glyph."""
ROW, MOST_NEAR = 5.0, 1000
"""How far pieces of one row are from each other, in sizes; the most pieces about a number that are measured."""
IMAGES = ("fill-image", "fill-imgmask", "fill-shade")
_Kind = Literal["", "mark", "letter"]


def marked_words(lines: Sequence[Sequence[LayerWord]], drawing: Drawing) -> dict[tuple[int, int], str]:
    """Return what is shown for each word with figures that has a mark, by the index of its line and its index in it."""
    page = drawing.page
    places = [(n, k) for n, line in enumerate(lines) for k, word in enumerate(line) if any(map(str.isdigit, word.text))]
    pieces = _drawn_pieces(page) if places else np.zeros((0, 5))
    glyphs: PageGlyphs | None = None
    shown_at: dict[tuple[int, int], str] = {}
    for n, k in places if len(pieces) else ():
        text = lines[n][k].text
        box = x0, y0, x1, y1 = tuple(pymupdf.Rect(*drawing.points(lines[n][k].bbox)) * page.derotation_matrix)
        row = pieces[_touches(pieces, (x0 - ROW * (y1 - y0), y0, x1 + ROW * (y1 - y0), y1))]
        if not len(row) or (len(text) > 2 and y1 - y0 > x1 - x0):
            continue  # a word that runs up the page is not measured
        glyphs = glyphs or PageGlyphs.of(page)
        number = _Number.of(glyphs, box)
        near = row[_touches(row, (x0 - BESIDE * (y1 - y0), y0, x1 + BESIDE * (y1 - y0), y1))]
        kinds = [number.kind_of(piece, row) for piece in near[:MOST_NEAR].tolist()]
        letters = near[:MOST_NEAR][[kind == "letter" for kind in kinds]]
        if "mark" in kinds or len(near) > MOST_NEAR or (len(letters) and page.rotation):
            shown_at[n, k] = f"{text} with a drawn mark"
        elif len(letters) and (reading := _read_with_letters(lines[n], k, letters, drawing)):
            shown_at[n, k] = reading
    return shown_at


def _touches(pieces: NDArray[np.float64], box: Box4) -> NDArray[np.bool_]:
    return np.asarray(((pieces[:, 2:4] >= box[:2]) & (pieces[:, :2] <= box[2:])).all(axis=1))


@dataclass(frozen=True, slots=True)
class _Number:
    """The figures of a word: their left and right edge, their baseline and the size of their font, in points."""

    left: float
    right: float
    baseline: float
    size: float

    @classmethod
    def of(cls, glyphs: PageGlyphs, box: Box4) -> _Number:
        """Return the figures in the box (points) of a word, estimated from the box if the page has no glyphs there."""
        digits = [n for n in glyphs.indices_in(box) if glyphs.chars[n].isdigit()]
        if not digits:
            height = box[3] - box[1]
            return cls(box[0], box[2], box[3] - DESCENT * height, max(SHARE_OF_SIZE * height, 0.1))
        places = glyphs.places[digits]
        return cls(places[:, 0].min(), places[:, 1].max(), float(np.median(places[:, 2])), places[:, 3].max() or 0.1)

    def kind_of(self, piece: Sequence[float], pieces: NDArray[np.float64]) -> _Kind:
        """Return what a drawn piece is to the number: a mark, a letter, or "" for neither, as for a dot of a leader."""
        x0, y0, x1, y1, is_line = piece
        width, height = (x1 - x0) / self.size, (y1 - y0) / self.size
        low, high = (self.baseline - y1) / self.size, (self.baseline - y0) / self.size
        gap = max(self.left - x1, x0 - self.right) / self.size
        if gap < -WITHIN:
            overlap = min(x1, self.right) - max(x0, self.left)
            return self._on(width, height, low, high, overlap / (self.right - self.left), bool(is_line))
        kind = _beside(width, height, low, high, gap)
        return "" if kind == "mark" and self._in_a_row(piece, pieces) else kind

    def _on(self, width: float, height: float, low: float, high: float, coverage: float, is_line: bool) -> _Kind:
        """Return the kind of a piece on, over or under the number, with the share of its width that it covers."""
        number_width = (self.right - self.left) / self.size
        if low >= OVER:
            return "mark" if high <= TOP and width <= number_width + 2 * THIN else ""
        if high <= WITHIN:
            return "mark" if high > -2 * THIN and width < number_width - 2 * THIN else ""  # an underline is as long
        taller = low <= -THIN and high >= TOP - WITHIN  # a ground, a frame or a rule, or a part of one
        ground = low <= 0.1 and high >= 0.6 and (coverage > 1 - WITHIN or width >= LARGE)
        return "" if height > LARGE or (not is_line and (taller or ground)) else "mark"

    def _in_a_row(self, piece: Sequence[float], pieces: NDArray[np.float64]) -> bool:
        """Return True if at least three pieces of the same size and height are near each other, with this one."""
        x0, y0, x1, y1, _ = piece
        slack = 0.05 * self.size
        alike = np.abs(pieces[:, [1, 3]] - (y0, y1)).max(axis=1) <= slack
        alike &= np.abs(pieces[:, 2] - pieces[:, 0] - (x1 - x0)) <= slack
        alike &= np.abs(pieces[:, 0] - x0) <= ROW * self.size
        return len(np.unique(np.round(pieces[alike, 0], 1))) >= 3


def _beside(width: float, height: float, low: float, high: float, gap: float) -> _Kind:
    """Return the kind of a piece beside a number, by its size, heights over the baseline and gap, in font sizes."""
    if max(width, height) <= POINT:
        on_line = -0.2 <= low <= 0.08
        return (
            "mark"
            if max(width, height) >= WITHIN and 0 <= high <= TOP and gap <= (CLOSE if on_line else TOUCHING)
            else ""
        )
    if height <= POINT:
        is_beside = low >= -WITHIN and TOUCHING <= high <= OVER and width <= LARGE
        return "mark" if is_beside and gap <= (BESIDE if height <= THIN else CLOSE) else ""
    if high > TOP or width > LARGE or not -0.3 <= low <= 0.3:
        return ""
    if width <= THIN:
        return "mark" if gap <= CLOSE else ""
    small = max(width, height) <= OVER and low >= -WITHIN and gap <= CLOSE
    return "mark" if small or gap <= WITHIN else "letter" if gap <= BESIDE else ""


def _read_with_letters(line: Sequence[LayerWord], index: int, letters: NDArray[np.float64], drawing: Drawing) -> str:
    """Return what OCR reads of word `index` of a line with the drawn `letters` beside it; "" if that is its text."""
    room = CLOSE * (line[index].bbox.y1 - line[index].bbox.y0) * drawing.page.rect.height
    first, last = float(letters[:, 0].min()) - room, float(letters[:, 2].max()) + room
    boxes = [drawing.points(word.bbox) for word in line]
    near = [n for n, box in enumerate(boxes) if n == index or (box[2] >= first and box[0] <= last)]
    corners = np.array([*(boxes[n] for n in near), *letters[:, :4].tolist()])
    (left, top), (right, bottom) = corners[:, :2].min(axis=0).tolist(), corners[:, 2:].max(axis=0).tolist()
    bbox = BBox.from_page(left, top, right, bottom, drawing.page.rect.width, drawing.page.rect.height)
    reading = read_lines([drawing.of(bbox, 0, 0.12)])[0] if bbox is not None else ""
    text = "".join(line[n].text for n in near)
    return " ".join(reading.split()) if fold_letters(reading.replace(" ", ""))[0] != fold_letters(text)[0] else ""


def _drawn_pieces(page: pymupdf.Page) -> NDArray[np.float64]:
    """Return what the page (not rotated) draws, except for text: (n, 5), boxes in points, and 1 for an open line."""
    pieces = [piece for path in page.get_cdrawings() for piece in _path_pieces(path)]
    pieces += [(*box, 0.0) for kind, box in page.get_bboxlog() if kind in IMAGES]
    return np.array(pieces, np.float64).reshape(-1, 5)


def _path_pieces(path: dict[str, Any]) -> Iterator[tuple[float, float, float, float, float]]:
    """Yield the connected pieces of a path, each as a box in points, and 1 for an open line."""
    chain: list[tuple[float, float]] = []
    pad = path.get("width", 0.0) / 2 if "s" in path["type"] else 0.0
    for shape, *points in (*path["items"], ("end",)):
        is_closed = shape in ("re", "qu", "end")
        if chain and (is_closed or points[0] != chain[-1]):
            yield (*_padded_box(chain, pad), float(path["type"] == "s" and chain[0] != chain[-1]))
            chain = []
        if shape == "re":
            yield (*_padded_box([points[0][:2], points[0][2:]], pad), 0.0)
        elif shape == "qu":
            yield (*_padded_box(list(points[0]), pad), 0.0)
        else:
            chain += points


def _padded_box(points: Sequence[tuple[float, float]], pad: float) -> Box4:
    xs, ys = zip(*points, strict=True)
    return min(xs) - pad, min(ys) - pad, max(xs) + pad, max(ys) + pad
