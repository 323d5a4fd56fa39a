"""Recognised words: where they stand, in the pixels of an image and in the points of a page."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest

from indexing.parse.scan.ocr import read_page, recognise
from tests.support import documents


@pytest.mark.slow
@pytest.mark.gate
def test_words_of_an_image_stand_on_their_ink() -> None:
    image = documents.picture(["Cider press", "Nine barrels"])
    pixels = np.asarray(image)[:, :, ::-1]
    words = [w for w in recognise(np.ascontiguousarray(pixels)) if w.text.isalpha()]
    assert [w.text for w in words] == ["Cider", "press", "Nine", "barrels"]
    assert words[0].line == words[1].line != words[2].line == words[3].line
    dark = pixels.max(axis=2) < 110
    for word in words:
        assert dark[int(word.y0) : int(word.y1) + 1, int(word.x0) : int(word.x1) + 1].mean() > 0.1, word.text
    nine, barrels = words[2], words[3]
    _, xs = np.nonzero(dark[300:400])
    assert abs(nine.x0 - xs.min()) < 12
    assert abs(barrels.x1 - xs.max()) < 12
    assert nine.x1 <= barrels.x0 + 6


@pytest.mark.slow
@pytest.mark.gate
@pytest.mark.parametrize(("pixels", "clip"), [(700, None), (1400, None), (1000, pymupdf.Rect(20, 160, 480, 280))])
def test_a_page_or_a_clip_is_read_in_its_points_whatever_the_resolution(pixels: int, clip: pymupdf.Rect | None) -> None:
    page = pymupdf.open().new_page(width=500, height=300)
    page.insert_text((60, 80), "Merrow", fontsize=30)
    page.insert_text((60, 220), "Wharf", fontsize=30)
    words = {word.text: word for word in read_page(page, pixels, clip)}
    assert words.keys() == ({"Wharf"} if clip else {"Merrow", "Wharf"})
    wharf, truth = words["Wharf"], page.search_for("Wharf")[0]
    assert abs(wharf.x0 - truth.x0) < 9  # a third of the size of the letters
    assert abs(wharf.x1 - truth.x1) < 9
    assert truth.y0 - 6 < wharf.y0 < wharf.y1 < truth.y1 + 6


@pytest.mark.parametrize("shape", [(7, 500, 3), (500, 7, 3), (100, 100, 3)])
def test_nothing_to_read_is_no_words(shape: tuple[int, int, int]) -> None:
    assert recognise(np.full(shape, 255, np.uint8)) == []


def part(text: str, x0: float, x1: float) -> tuple[str, float, list[tuple[float, float]]]:
    return text, 1.0, [(x0, 10), (x1, 10), (x1, 30), (x0, 30)]
