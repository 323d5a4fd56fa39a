"""The picture of a slice: a PNG of the same pixels, words that stand out, and where their ink is."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from plugins.formats.web.page_data import WebWord
from plugins.formats.web.pixels import SCALE, ink_of, page_slice

WIDE, HIGH = 200, 60


def paper(ground: tuple[int, int, int] = (255, 255, 255)) -> NDArray[np.uint8]:
    return np.full((HIGH, WIDE, 3), ground, np.uint8)


def word(place: tuple[float, float, float, float], number: int = 1) -> WebWord:
    return WebWord("ill", place, "", -1, number)


def inked(pixels: NDArray[np.uint8], x0: float, x1: float) -> NDArray[np.uint8]:
    """Draw two black strokes, CSS pixels, across all rows: one from x0, one to x1."""
    for first, last in ((x0, x0 + 2), (x1 - 2, x1)):
        pixels[:, round(first * SCALE) : round(last * SCALE)] = 0
    return pixels


def test_the_room_beside_the_letters_is_taken_off_but_for_a_pixel() -> None:
    grey = inked(paper(), 12, 28)[..., 0]
    for pixels in (grey, 255 - grey):  # on a dark ground too
        assert ink_of(pixels, word((10, 4, 30, 20)), 0) == (11, 29)


def test_a_place_never_grows_and_shrinks_little() -> None:
    over = inked(paper(), 8.5, 31.5)[..., 0]  # the strokes go on beyond the place
    assert ink_of(over, word((10, 4, 30, 20)), 0) == (10, 30)
    dot = inked(paper(), 38, 42)[..., 0]
    assert ink_of(dot, word((10, 4, 70, 14)), 0) == (13, 67)  # a third of an em, whatever is behind
    assert ink_of(paper()[..., 0], word((10, 4, 30, 20)), 0) == (10, 30)
    assert ink_of(paper()[..., 0], word((900, 4, 930, 20)), 0) == (900, 930)


def test_words_of_a_slice_are_as_wide_as_their_ink_and_unseen_ones_are_left_out() -> None:
    pixels = paper()
    inked(pixels[:, : round(30 * SCALE)], 12, 28)
    words = [word((10, 4, 30, 20), 1), word((40, 4, 60, 20), 2), word((10, 4, 30, 20), 3), word((10, 400, 30, 420), 4)]
    made = page_slice((0, 40), Image.fromarray(pixels), words, covered=[3])
    with Image.open(io.BytesIO(made.png)) as picture:
        assert (np.asarray(picture) == pixels).all()
    assert made.unseen == {2, 3, 4}  # nothing is drawn in the place of the second and the fourth
    assert [(w.number, w.place) for w in made.shown(words)] == [(1, (11, 4, 29, 20))]
