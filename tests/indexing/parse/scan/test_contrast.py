"""Contrast is the distance that an eye sees; faint print is strengthened, and what nobody sees is not read."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray

from indexing.parse import read_page
from indexing.parse.scan.contrast import LEGIBLE, distance, inside, strengthen_contrast
from tests.support import documents

WHITE = (255, 255, 255)
LINES = [
    "The mill was built in 1887 by Anna Holm.",
    "It sold 1,200 barrels of cider in May.",
    "The bridge stands beside it.",
]
SHEET = np.asarray(documents.picture(LINES * 3, (900, 800)).convert("RGB"))
LIGHT = np.linspace(1.0, 0.6, SHEET.shape[1])[None, :, None]
"""The light on the sheet, which falls off to the right."""
FAINT = np.asarray((220 - 0.2 * (255.0 - SHEET)) * LIGHT, np.uint8)
"""The sheet with a part of its contrast, on grey paper in uneven light."""


def apart(*colours: tuple[int, int, int]) -> float:
    return distance(np.array([colours], np.uint8))


@pytest.mark.parametrize("grey", [0, 60, 128, 200])
def test_a_ratio_of_luminance_is_about_the_same_distance_everywhere(grey: int) -> None:
    """1.25 to 1.4 on dark paper, a little less than that on light paper."""
    other = next(level for level in range(grey, 256) if apart((grey,) * 3, (level,) * 3) >= LEGIBLE)
    light, dark = (((v / 255 + 0.055) / 1.055) ** 2.4 if v > 10 else v / 255 / 12.92 for v in (other, grey))
    assert 1.2 < (light + 0.05) / (dark + 0.05) < 1.5


def test_hues_and_greys_count_and_specks_do_not() -> None:
    assert apart((0, 0, 0), WHITE) == pytest.approx(100, abs=0.1)
    assert apart((153, 0, 0), (0, 78, 0)) > 5 * LEGIBLE
    assert apart((26, 38, 115), (30, 36, 110)) < LEGIBLE
    assert apart(WHITE, (217, 217, 217)) > LEGIBLE > apart(WHITE, (236, 236, 236))
    assert apart(WHITE) == 0
    noisy = np.full((20, 50, 3), 255, np.uint8)
    noisy[3, 4] = 0
    assert (distance(noisy, 1.0), distance(noisy[:0])) == (0, 0)
    assert distance(noisy) > 90


def test_pixels_outside_the_image_are_none() -> None:
    image = np.zeros((10, 10, 3), np.uint8)
    assert inside(image, (-5.0, 2.5, 3.5, 4.5)).shape == (3, 4, 3)
    assert inside(image, (20, 0, 30, 5)).size == 0


@pytest.mark.parametrize(
    "image",
    [
        SHEET,
        np.asarray(SHEET * LIGHT, np.uint8),
        np.full((900, 700, 3), 255, np.uint8),
        np.zeros((400, 400, 3), np.uint8),
        SHEET[:40],
        np.asarray(np.linspace(150, 220, 900)[:, None, None] * np.ones((1, 700, 3)), np.uint8),
    ],
    ids=["good print", "in uneven light", "blank paper", "black", "a strip", "a pale picture"],
)
def test_what_is_no_faint_print_is_left_as_it_is(image: NDArray[np.uint8]) -> None:
    assert strengthen_contrast(image) is image


def test_faint_print_becomes_dark_and_its_paper_light() -> None:
    strengthened, ink = strengthen_contrast(FAINT), SHEET[:, :, 0] < 60
    for part in (slice(None), slice(-300, None)):  # in the darker part too
        assert np.median(FAINT[:, part]) < 180
        assert np.median(strengthened[:, part]) > 210
    assert FAINT[ink].mean() > 110 > strengthened[ink].mean()


@pytest.mark.slow
@pytest.mark.gate
def test_faint_print_is_read() -> None:
    height, width = FAINT.shape[:2]
    page = pymupdf.open().new_page(width=width / 2, height=height / 2)
    page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csRGB, width, height, FAINT.tobytes(), False))
    assert {word.text for word in read_page(page, 900)} == set(" ".join(LINES).split())
