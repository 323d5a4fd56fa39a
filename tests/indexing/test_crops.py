"""One function cuts pieces out of pages for embedders, models and exports: to the pixel as each of them once did."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from indexing import BBox, crop
from indexing.embed.visual.page_images import LEAST_PIXELS, crop_of
from rag import crop_box
from tests.ui.stand_ins import citation
from ui.export.sources import evidence_picture
from ui.show import badge_height, draw_overlay

WIDTH, HEIGHT = 230, 170
EDGES = st.tuples(st.floats(0, 1, width=32), st.floats(0, 1, width=32)).filter(lambda ends: ends[0] != ends[1])
Rect = tuple[int, int, int, int]


def sheet() -> Image.Image:
    """A page no two pixels of which are of one colour: a crop tells where it was taken."""
    numbers = np.arange(WIDTH * HEIGHT, dtype=np.uint32).reshape(HEIGHT, WIDTH)
    return Image.fromarray(np.stack([numbers >> 8, numbers & 255, numbers % 7], axis=2).astype(np.uint8), "RGB")


SHEET = sheet()


def pixels(image: Image.Image) -> NDArray[np.uint8]:
    return np.asarray(image)


def box_of(across: tuple[float, float], down: tuple[float, float]) -> BBox:
    return BBox(min(across), min(down), max(across), max(down))


def embedded(box: BBox) -> Rect:
    """What an embedder was shown: the pixels that the box touches."""
    left, top, right, bottom = box.to_page(WIDTH, HEIGHT)
    return int(left), int(top), -int(-right // 1), -int(-bottom // 1)


def sent(box: BBox) -> Rect:
    """What a model was sent: six pixels more on every side, or as many as make 48."""
    left, top, right, bottom = box.to_page(WIDTH, HEIGHT)
    wide, high = (max(6, max(0.0, 48 - (b - a)) / 2) for a, b in ((left, right), (top, bottom)))
    return (
        max(0, int(left - wide)),
        max(0, int(top - high)),
        min(WIDTH, round(right + wide)),
        min(HEIGHT, round(bottom + high)),
    )


def exported(box: BBox, margin: int) -> Rect:
    """What an export showed: the margin, and the pixel in which the box ends, whole or not."""
    left, top, right, bottom = box.to_page(WIDTH, HEIGHT)
    return (
        max(0, int(left) - margin),
        max(0, int(top) - margin),
        min(WIDTH, int(right) + margin + 1),
        min(HEIGHT, int(bottom) + margin + 1),
    )


@given(EDGES, EDGES)
def test_embedders_models_and_exports_take_their_own_margins(
    across: tuple[float, float], down: tuple[float, float]
) -> None:
    box = box_of(across, down)
    touched, seen = SHEET.crop(embedded(box)), crop_of(SHEET, box)
    assert (seen is None) == (min(touched.size) < LEAST_PIXELS)
    assert seen is None or np.array_equal(pixels(seen), pixels(touched))
    assert np.array_equal(pixels(crop_box(SHEET, box, 4096)), pixels(SHEET.crop(sent(box))))
    cited = citation(bbox=box, boxes=())
    marked = draw_overlay(SHEET, [(1, cited)])
    margin = round(0.015 * WIDTH) + 2 * badge_height(WIDTH)
    assert np.array_equal(pixels(evidence_picture(SHEET, 1, cited)), pixels(marked.crop(exported(box, margin))))


@pytest.mark.parametrize(
    ("box", "sides"),
    [
        (BBox(0.5, 0.5, 0.75, 0.75), (100, 100, 150, 150)),  # whole pixels
        (BBox(0.501, 0.501, 0.749, 0.749), (100, 100, 150, 150)),  # parts of pixels are taken whole
        (BBox(0.0, 0.0, 1.0, 1.0), (0, 0, 200, 200)),
    ],
)
def test_every_pixel_that_a_box_touches_is_taken(box: BBox, sides: Rect) -> None:
    square = SHEET.resize((200, 200), Image.Resampling.NEAREST)
    assert np.array_equal(pixels(crop(square, box)), pixels(square.crop(sides)))
    assert crop(square, box, margin=5).size == tuple(min(200, s + 10) for s in (sides[2] - sides[0],) * 2)
