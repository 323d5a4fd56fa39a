"""Faint print is strengthened before it is read; good print, pictures and blank paper stay as they are."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray

from indexing.parse import read_page
from indexing.parse.scan import ocr
from indexing.parse.scan.paper import strengthen_contrast
from tests.support import documents

LINES = [
    "The mill was built in 1887 by Anna Holm.",
    "It sold 1,200 barrels of cider in May.",
    "The bridge stands beside it.",
]
SHEET = np.asarray(documents.picture(LINES * 3, (900, 800)).convert("RGB"))
LIGHT = np.linspace(1.0, 0.6, SHEET.shape[1])[None, :, None]
"""The light on the sheet, which falls off to the right."""


def faint(contrast: float) -> NDArray[np.uint8]:
    """Return the sheet with a part of its contrast, on grey paper in uneven light."""
    return np.asarray((220 - contrast * (255.0 - SHEET)) * LIGHT, np.uint8)


def test_good_print_and_blank_paper_are_left_as_they_are() -> None:
    shaded = np.asarray(SHEET * LIGHT, np.uint8)
    blank = np.full((900, 700, 3), 255, np.uint8)
    for image in (SHEET, shaded, blank, SHEET[:40]):
        assert strengthen_contrast(image) is image


def test_a_pale_picture_is_no_faint_print() -> None:
    slope = np.linspace(150, 220, 900)[:, None, None] * np.ones((1, 700, 3))
    image = np.asarray(slope, np.uint8)
    assert strengthen_contrast(image) is image


def test_faint_print_becomes_dark_and_its_paper_light() -> None:
    before, made = faint(0.2), strengthen_contrast(faint(0.2))
    assert np.median(before) < 180
    assert np.median(made) > 225
    assert np.median(before[:, -300:]) < 160
    assert np.median(made[:, -300:]) > 210  # in the darker part too
    ink = SHEET[:, :, 0] < 60
    assert before[ink].mean() > 110
    assert made[ink].mean() < 110


def test_black_on_black_is_not_divided_by_nothing() -> None:
    black = np.zeros((400, 400, 3), np.uint8)
    assert strengthen_contrast(black) is black


@pytest.mark.slow
@pytest.mark.gate
def test_the_reader_is_given_strengthened_print(monkeypatch: pytest.MonkeyPatch) -> None:
    image = faint(0.2)
    document = pymupdf.open()
    page = document.new_page(width=image.shape[1] / 2, height=image.shape[0] / 2)
    raw = np.ascontiguousarray(image)
    page.insert_image(
        page.rect, pixmap=pymupdf.Pixmap(pymupdf.csRGB, image.shape[1], image.shape[0], raw.tobytes(), False)
    )
    given: list[NDArray[np.uint8]] = []
    recognise = ocr.recognise

    def noted(bgr: NDArray[np.uint8]) -> list[ocr.Word]:
        given.append(bgr)
        return recognise(bgr)

    monkeypatch.setattr(ocr, "recognise", noted)
    assert {word.text for word in read_page(page, 900)} == set(" ".join(LINES).split())
    assert np.median(given[0]) > 225
