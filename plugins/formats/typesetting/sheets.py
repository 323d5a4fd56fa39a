"""The pages of a PDF as they are filled with text and images, and the place of each piece on them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import pymupdf

from indexing import IndexingSettings, TooLarge
from plugins.formats.typesetting.markup import STYLE

Builder = Callable[[int, int], str]
WIDTH, HEIGHT = 595.0, 842.0
"""A4, in points."""
MARGIN = 54.0
LEAST_SPACE = 30.0
"""Points at the foot of a page on which nothing new is begun."""
MOST_SIDE = 2400
"""The longer side, in pixels, of an image that is drawn."""
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
POINTS_PER_PIXEL = 0.75


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
    """The pages of a PDF, written one after the other; `sizes` are their widths and heights in points.

    `fresh` is True if nothing was placed on the page yet, `n_lost` counts pieces that fit on no page.
    """

    def __init__(self, settings: IndexingSettings) -> None:
        """Begin without a page."""
        self.sizes: list[tuple[float, float]] = []
        self.n_lost = 0
        self.fresh = False
        self._settings = settings
        self._pictures: list[PlacedPicture] = []
        self._file = io.BytesIO()
        self._writer = pymupdf.DocumentWriter(self._file)
        self._device: Any = None
        self._y = MARGIN

    @property
    def page(self) -> int:
        """The number of the page that is being filled, from 0."""
        return len(self.sizes) - 1

    @property
    def _foot(self) -> float:
        """The points from the top of the page to its lower margin."""
        return self.sizes[-1][1] - MARGIN

    def begin_page(self, width: float = WIDTH, height: float = HEIGHT) -> None:
        """Begin a page of that size in points. Raises TooLarge over the limit on pages."""
        self._end_page()
        if len(self.sizes) >= self._settings.max_pages:
            raise TooLarge(f"more than {self._settings.max_pages} pages when laid out: split it or raise max_pages")
        self._device = self._writer.begin_page(pymupdf.Rect(0, 0, width, height))
        self.sizes.append((width, height))
        self._y, self.fresh = MARGIN, True

    def ready(self, width: float = WIDTH, least: float = LEAST_SPACE) -> None:
        """Begin a page unless the current one has that width, and `least` points of space left or nothing on it."""
        if self._device is None or self.sizes[-1][0] != width or (self._foot - self._y < least and not self.fresh):
            self.begin_page(width, HEIGHT if width <= HEIGHT else width / 2**0.5)

    def flow(self, build: Builder, count: int, width: float = WIDTH) -> Iterator[PlacedPiece]:
        """Lay out pieces over as many pages of that width as they need; yield the place of each.

        `build` makes the markup of the pieces from one number to another, of `count` in all. MuPDF continues below the
        foot of a page if the space above a paragraph ends there: pieces below it are laid out again on the next page.
        """
        start = 0
        while start < count:
            story = pymupdf.Story(build(start, count), user_css=STYLE)
            complete = False
            while not complete:
                self.ready(width)
                more, rect = story.place(self._free_area())
                positions = self._positions(story)
                first = min((one.id for one in positions), default=start)
                below = min((one.id for one in positions if one.y1 > self._foot + 1.0), default=count)
                if below < count or (more and not positions and self.fresh):
                    start, above = self._draw_above_foot(build, first, below, count)
                    yield from above
                    break
                story.draw(self._device)
                yield from positions
                self.fresh = self.fresh and not positions
                start = max((one.id + 1 for one in positions), default=start)
                complete, self._y = not more, rect[3]
                if more:
                    self._end_page()
            if complete:
                return

    def _draw_above_foot(self, build: Builder, first: int, below: int, count: int) -> tuple[int, list[PlacedPiece]]:
        """Draw the pieces of a page that lie above its foot; return the next piece to lay out, and those drawn."""
        if below == count or (below <= first and self.fresh):  # too large for any page
            self.n_lost += 1
            return first + 1, []
        above: list[PlacedPiece] = []
        if below > first:
            trial = self.attempt(build(first, below))
            self.keep(trial)
            above = trial.pieces
        self._end_page()
        return below, above

    def attempt(self, html: str) -> Trial:
        """Place markup on the rest of the page without drawing it."""
        story = pymupdf.Story(html, user_css=STYLE)
        more, rect = story.place(self._free_area())
        positions = self._positions(story)
        above = [one for one in positions if one.y1 <= self._foot + 1.0]
        return Trial(story, rect[2], rect[3], not more and len(above) == len(positions), above)

    def keep(self, trial: Trial) -> None:
        """Draw a trial on the page."""
        trial.story.draw(self._device)
        self._y, self.fresh = trial.bottom + 6.0, False

    def add_picture(self, content: bytes) -> PlacedPicture | None:
        """Place an image, scaled down to the page; return None if it cannot be drawn."""
        picture = _to_png(content, self._settings.max_pixels)
        if picture is None:
            return None
        png, width, height = picture
        scale = min(1.0, (WIDTH - 2 * MARGIN) / width, (HEIGHT - 2 * MARGIN - 40.0) / height)
        width, height = max(1.0, width * scale), max(1.0, height * scale)
        self.ready(WIDTH, min(height + 30.0, HEIGHT - 2 * MARGIN))
        placed_picture = PlacedPicture(self.page, (MARGIN, self._y, MARGIN + width, self._y + height), png)
        self._pictures.append(placed_picture)
        self._y, self.fresh = self._y + height + 4.0, False
        return placed_picture

    def finish(self, title: str) -> tuple[bytes, int]:
        """Return the PDF, its fonts reduced to the glyphs in use, and the number of characters that no font has."""
        self._end_page()
        self._writer.close()
        with pymupdf.open(stream=self._file.getvalue(), filetype="pdf") as document:
            for picture in self._pictures:
                document[picture.page].insert_image(pymupdf.Rect(picture.rect), stream=picture.content)
            document.subset_fonts()
            document.set_metadata({"title": title})
            spans = (span for page in document for span in page.get_texttrace())
            # MuPDF puts the first glyph of a font, an empty box, in the place of characters that it lacks.
            undrawn = sum(glyph == 0 for span in spans for _, glyph, *_ in span["chars"])
            return document.tobytes(garbage=3, deflate=True), undrawn

    def _free_area(self) -> Any:
        width, height = self.sizes[-1]
        return pymupdf.Rect(MARGIN, self._y, width - MARGIN, height - MARGIN)

    def _positions(self, story: Any) -> list[PlacedPiece]:
        positions: list[PlacedPiece] = []
        page = self.page

        def take(position: Any) -> None:
            rect = position.rect
            if rect.x1 - rect.x0 > 0.01 and position.id:
                positions.append(PlacedPiece(int(position.id), page, rect.x0, rect.y0, rect.x1, rect.y1))

        pymupdf.mupdf.fz_story_positions(story.this, take)  # `Story.element_positions` makes a class for each word
        return positions

    def _end_page(self) -> None:
        if self._device is not None:
            self._writer.end_page()
            self._device = None


def _to_png(content: bytes, max_pixels: int) -> tuple[bytes, float, float] | None:
    """Return an image as PNG, with its width and height in points; None if it is invalid or over the limit."""
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None
    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as image:
            width, height = image.size
            if width * height > max_pixels or min(width, height) < 1:
                return None
            image.draft("RGB", (MOST_SIDE, MOST_SIDE))
            rgba = image.convert("RGBA")
    except (OSError, SyntaxError, ValueError, EOFError, TypeError, MemoryError, OverflowError):
        return None
    rgba.thumbnail((MOST_SIDE, MOST_SIDE))
    file = io.BytesIO()
    Image.alpha_composite(Image.new("RGBA", rgba.size, "white"), rgba).convert("RGB").save(file, "PNG")
    return file.getvalue(), width * POINTS_PER_PIXEL, height * POINTS_PER_PIXEL
