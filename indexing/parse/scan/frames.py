"""The cells of a page -> the frames around text in it: of code, of a note. They are no pictures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

LEAST_WIDTH = 0.2
"""The least width of a frame around text, as a share of the page."""
FRAMED, RULED = 0.95, 0.1
"""The least share of the head and of the foot of a frame that has marks, and that is seen where words hide the rest."""
SIDES, HIDDEN = 0.7, 2
"""The least share of each side of a frame that is seen where words of it hide the rest, and the most cells in a row
that they hide."""
SIGN = 1 / 30
"""The most of a frame around text that signs in it cover; a drawing covers more."""
PROSE, NEAR = 0.85, 3
"""The least share of the width of a frame that a line of prose beside it has, and the rows in which it touches it."""
TEXT = 1 / 3
"""The least share of words in what a frame around text holds."""

Grid = NDArray[np.bool_]
"""Which cells (rows, columns) of a page hold something."""
Frame = tuple[slice, slice]
"""The rows and columns that a frame takes."""
Side = tuple[int, int, int]
"""A run of cells that may be the side of a frame: its column, its first row and its last."""


def text_frames(marked: Grid, wordy: Grid, ruled: Grid) -> list[Frame]:
    """Return the frames around text that nothing drawn touches from outside: words alone stand there, if anything.

    So a box of a diagram is none, which lines lead to; nor is one with a drawing in it that prose does not touch, as
    labels stand around a chart. Outer frames come first. Cells are `marked` where there is something, `wordy` where
    words are, and `ruled` where something is seen beside words.
    """
    page = _Page(marked, wordy, ruled)
    candidates = (page.frame(*sides) for sides in sorted(_pairs(marked, ruled)))
    return [frame for frame in candidates if frame is not None]


def has_drawing(drawn: Grid, frame: Frame) -> bool:
    """Return whether there is a drawing in a frame, or rules, beyond a small sign."""
    rows, columns = frame
    within = drawn[rows.start + 2 : rows.stop - 2, columns.start + 2 : columns.stop - 2]
    return bool(np.count_nonzero(within) > SIGN * drawn[frame].size)


def _pairs(marked: Grid, ruled: Grid) -> set[tuple[Side, Side]]:
    """Return pairs of sides, far enough from each other, that begin or end in nearly the same row."""
    ends: tuple[defaultdict[int, list[Side]], ...] = (defaultdict(list), defaultdict(list))
    for column in range(ruled.shape[1]):
        for run in _runs(ruled[:, column], marked[:, column]):
            for end, of in zip(run, ends, strict=True):
                of[end].append((column, *run))
    return {
        (one, other)
        for of in ends
        for end in list(of)
        for near in (end - 1, end, end + 1)
        for one, other in product(of[end], of.get(near, ()))
        if other[0] - one[0] >= LEAST_WIDTH * ruled.shape[1]
    }


def _runs(ruled: Grid, marked: Grid) -> Iterator[tuple[int, int]]:
    """Yield the first and the last cell of each run in a column that may be a side; words may hide some cells of it."""
    own, empty = np.flatnonzero(ruled), np.cumsum(~marked)
    ends = np.flatnonzero((np.diff(own) > HIDDEN + 1) | (np.diff(empty[own]) > 0)) + 1
    for run in np.split(own, ends):
        if len(run) > 1 and len(run) >= SIDES * (run[-1] - run[0] + 1):
            yield int(run[0]), int(run[-1])


class _Page:
    """The cells of a page, with sums along its rows: a page of noise has many pairs of sides."""

    def __init__(self, marked: Grid, wordy: Grid, ruled: Grid) -> None:
        self.marked, self.wordy, self.ruled, self.drawn = marked, wordy, ruled, marked & ~wordy
        self._sums = [np.pad(np.cumsum(cells, axis=1), ((0, 0), (1, 0))).tolist() for cells in (marked, ruled)]

    def frame(self, one: Side, other: Side) -> Frame | None:
        """Return the rows and columns of the frame around text with these sides, the left one and the right one."""
        left, right = one[0], other[0]
        tops = range(min(one[1], other[1]) - 1, max(one[1], other[1]) + 1)  # text over a corner hides the side there
        bottoms = range(max(one[2], other[2]) + 1, min(one[2], other[2]) - 1, -1)
        top, bottom = (self._rule_of(rows, left, right) for rows in (tops, bottoms))
        if top is None or bottom is None or bottom - top < 2:
            return None
        frame = slice(top, bottom + 1), slice(left, right + 1)
        sides = min(np.count_nonzero(self.ruled[frame[0], side]) for side in (left, right))
        if sides < SIDES * (bottom - top + 1) or not self._holds_text(frame) or not self._is_alone(frame):
            return None
        return frame if self._is_in_prose(frame) or not has_drawing(self.drawn, frame) else None

    def _rule_of(self, rows: range, left: int, right: int) -> int | None:
        """Return the row in which the head or the foot of a frame is seen best; None if it is seen in none."""
        marked, ruled = self._sums
        width, best = right - left + 1, None
        for row in rows:
            if 0 <= row < len(marked) and marked[row][right + 1] - marked[row][left] >= FRAMED * width:
                seen = ruled[row][right + 1] - ruled[row][left]
                if seen >= RULED * width and (best is None or seen > best[0]):
                    best = seen, row
        return best[1] if best else None

    def _holds_text(self, frame: Frame) -> bool:
        rows, columns = frame
        inner = slice(rows.start + 1, rows.stop - 1), slice(columns.start + 1, columns.stop - 1)
        inked = np.count_nonzero(self.marked[inner] & self.wordy[inner])
        return bool(inked > TEXT * np.count_nonzero(self.marked[inner]))

    def _is_alone(self, frame: Frame) -> bool:
        """Return whether nothing drawn touches a frame from outside."""
        around = tuple(slice(max(side.start - 1, 0), side.stop + 1) for side in frame)
        return bool(np.count_nonzero(self.drawn[around]) == np.count_nonzero(self.drawn[frame]))

    def _is_in_prose(self, frame: Frame) -> bool:
        """Return whether a line nearly as wide as a frame stands right above it or below it."""
        rows, columns = frame
        beside = [*range(max(rows.start - NEAR, 0), rows.start)]
        beside += range(rows.stop, min(rows.stop + NEAR, len(self.marked)))
        said = (self.marked & self.wordy)[beside, columns]
        return bool(said.mean(axis=1).max(initial=0) >= PROSE)
