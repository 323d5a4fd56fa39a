"""The pages that are being laid out: what is placed on them, and where each piece came to stand."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import pymupdf

from indexing.conversion.typesetting.markup import STYLE
from indexing.errors import TooLarge

WIDTH, HEIGHT = 595.0, 842.0
"""A4, in points."""
MARGIN = 54.0
LEAST_SPACE = 30.0
"""Points at the foot of a page on which nothing new is begun."""


class PlacedPiece(NamedTuple):
    """The place of a piece of what was laid out: its id, its page (from 0), its rectangle in points."""

    id: int
    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class PlacedPicture:
    """An image with its page (from 0) and its rectangle in points."""

    page: int
    rect: tuple[float, float, float, float]
    content: bytes


@dataclass(frozen=True, slots=True)
class Trial:
    """A story that was placed on the rest of the page, and is drawn only if `Sheets.keep` is called.

    `right` and `bottom` are where it would end, in points; `complete` is True if nothing of it is left over.
    """

    story: Any
    right: float
    bottom: float
    complete: bool
    pieces: list[PlacedPiece]


class Sheets:
    """The pages of a PDF, written one after the other; `sizes` are their widths and heights in points."""

    def __init__(self, max_pages: int) -> None:
        """Begin without a page."""
        self.sizes: list[tuple[float, float]] = []
        self.pictures: list[PlacedPicture] = []
        self.lost = 0
        self._max_pages = max_pages
        self._file = io.BytesIO()
        self._writer = pymupdf.DocumentWriter(self._file)
        self._device: Any = None
        self._y = MARGIN
        self._fresh = False

    @property
    def page(self) -> int:
        """The number of the page that is being filled, from 0."""
        return len(self.sizes) - 1

    @property
    def fresh(self) -> bool:
        """True if nothing was placed on the page yet."""
        return self._fresh

    @property
    def space(self) -> float:
        """The points that are left of the page's height."""
        return self.sizes[-1][1] - MARGIN - self._y if self._device is not None else 0.0

    def begin_page(self, width: float = WIDTH, height: float = HEIGHT) -> None:
        """Begin a page of that size in points. Raises TooLarge over the limit on pages."""
        self._end_page()
        if len(self.sizes) >= self._max_pages:
            raise TooLarge(f"more than {self._max_pages} pages when it is laid out: split it or raise max_pages")
        self._device = self._writer.begin_page(pymupdf.Rect(0, 0, width, height))
        self.sizes.append((width, height))
        self._y, self._fresh = MARGIN, True

    def ready(self, width: float = WIDTH, least: float = LEAST_SPACE) -> None:
        """Begin a page unless the one that is open has that width, and `least` points of space or nothing on it."""
        if self._device is None or self.sizes[-1][0] != width or (self.space < least and not self._fresh):
            self.begin_page(width, HEIGHT if width <= HEIGHT else width / 2**0.5)

    def flow(self, html: str, width: float = WIDTH) -> Iterator[PlacedPiece]:
        """Lay out markup over as many pages of that width as it needs, and tell where each piece stands."""
        story = pymupdf.Story(html, user_css=STYLE)
        more = True
        while more:
            self.ready(width)
            more, filled = story.place(self._where())
            found = self._positions(story)
            if more and not found and self._fresh:  # what no page can hold
                self.lost += 1
                return
            story.draw(self._device)
            self._fresh = self._fresh and not found
            yield from found
            if more:
                self._end_page()
            else:
                self._y = filled[3]

    def attempt(self, html: str) -> Trial:
        """Place markup on the rest of the page without drawing it."""
        story = pymupdf.Story(html, user_css=STYLE)
        more, filled = story.place(self._where())
        return Trial(story, filled[2], filled[3], not more, self._positions(story))

    def keep(self, trial: Trial) -> None:
        """Draw what was placed."""
        trial.story.draw(self._device)
        self._y, self._fresh = trial.bottom + 6.0, False

    def place_picture(self, content: bytes, width: float, height: float) -> PlacedPicture:
        """Reserve the place of an image of that size in points, made smaller where the page is."""
        scale = min(1.0, (WIDTH - 2 * MARGIN) / width, (HEIGHT - 2 * MARGIN - 40.0) / height)
        width, height = max(1.0, width * scale), max(1.0, height * scale)
        self.ready(WIDTH, min(height + 30.0, HEIGHT - 2 * MARGIN))
        placed = PlacedPicture(self.page, (MARGIN, self._y, MARGIN + width, self._y + height), content)
        self.pictures.append(placed)
        self._y, self._fresh = self._y + height + 4.0, False
        return placed

    def finish(self) -> bytes:
        """Return the PDF, with no more of its fonts than it draws."""
        self._end_page()
        self._writer.close()
        document = pymupdf.open(stream=self._file.getvalue(), filetype="pdf")
        for picture in self.pictures:
            document[picture.page].insert_image(pymupdf.Rect(picture.rect), stream=picture.content)
        document.subset_fonts()
        content: bytes = document.tobytes(garbage=3, deflate=True)
        return content

    def _where(self) -> Any:
        width, height = self.sizes[-1]
        return pymupdf.Rect(MARGIN, self._y, width - MARGIN, height - MARGIN)

    def _positions(self, story: Any) -> list[PlacedPiece]:
        found: list[PlacedPiece] = []
        page = self.page

        def take(position: Any) -> None:
            x0, y0, x1, y1 = position.rect
            if x1 - x0 > 0.01 and position.id:
                found.append(PlacedPiece(int(position.id), page, x0, y0, x1, y1))

        story.element_positions(take)
        return found

    def _end_page(self) -> None:
        if self._device is not None:
            self._writer.end_page()
            self._device = None
