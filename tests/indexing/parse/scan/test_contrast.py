"""Contrast is the distance that an eye sees, of greys as of colours, near white as near black."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest

from indexing.parse.scan.contrast import LEGIBLE, distance, inside, lab
from indexing.parse.scan.ocr import read_page
from tests.support.disguises import AROUND, SAID, faint_pixels


def apart(*colours: tuple[int, int, int]) -> float:
    return distance(np.array([colours], np.uint8))


def test_white_and_black_are_a_hundred_apart() -> None:
    assert apart((0, 0, 0), (255, 255, 255)) == pytest.approx(100, abs=0.1)
    assert lab(np.array([[255, 255, 255]]))[0].tolist() == pytest.approx([100, 0, 0], abs=0.1)


@pytest.mark.parametrize("grey", [0, 60, 128, 200])
def test_a_ratio_of_luminance_is_about_the_same_distance_everywhere(grey: int) -> None:
    """1.25 to 1.4 on dark paper, a little less than that on light paper."""
    other = next(level for level in range(grey, 256) if apart((grey,) * 3, (level,) * 3) >= LEGIBLE)
    light, dark = (((v / 255 + 0.055) / 1.055) ** 2.4 if v > 10 else v / 255 / 12.92 for v in (other, grey))
    assert 1.2 < (light + 0.05) / (dark + 0.05) < 1.5


def test_what_is_seen_by_its_hue_counts() -> None:
    assert apart((153, 0, 0), (0, 78, 0)) > 5 * LEGIBLE
    assert apart((26, 38, 115), (30, 36, 110)) < LEGIBLE


def test_a_light_grey_is_read_and_a_fainter_one_is_not() -> None:
    white = (255, 255, 255)
    assert apart(white, (217, 217, 217)) > LEGIBLE > apart(white, (236, 236, 236))
    assert apart(white, (244, 244, 244)) < LEGIBLE
    assert apart(white) == 0


def test_specks_do_not_count() -> None:
    noisy = np.full((20, 50, 3), 255, np.uint8)
    noisy[3, 4] = 0
    assert distance(noisy, 1.0) == 0
    assert distance(noisy) > 90
    assert distance(noisy[:0]) == 0


def test_pixels_outside_the_image_are_none() -> None:
    image = np.zeros((10, 10, 3), np.uint8)
    assert inside(image, (-5.0, 2.5, 3.5, 4.5)).shape == (3, 4, 3)
    assert inside(image, (20, 0, 30, 5)).size == 0


@pytest.mark.slow
@pytest.mark.parametrize(("level", "read"), [(236, False), (150, True)])
def test_ocr_reads_what_people_read(level: int, read: bool) -> None:
    document = pymupdf.open()
    faint_pixels(document, level)
    said = " ".join(word.text for word in read_page(document[0], 1536))
    assert AROUND[0] in said
    assert (SAID in said) is read
