"""Contrast is the distance that an eye sees; faint print is strengthened, and what nobody sees is not read."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray

from indexing.parse import read_page
from indexing.parse.scan.contrast import distance, strengthen_contrast
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


@pytest.mark.slow
@pytest.mark.gate
def test_faint_print_is_read() -> None:
    height, width = FAINT.shape[:2]
    page = pymupdf.open().new_page(width=width / 2, height=height / 2)
    page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csRGB, width, height, FAINT.tobytes(), False))
    assert {word.text for word in read_page(page, 900)} == set(" ".join(LINES).split())
