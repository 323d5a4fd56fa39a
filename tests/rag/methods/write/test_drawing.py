"""A page as it is drawn for a model: frames around its pieces, labels beside them that cover no word."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from indexing import BBox
from rag.methods.write.drawing import COLOURS, FRAME, labelled_page
from rag.types import Evidence
from tests.support import fakes


def piece(label: str, box: BBox) -> Evidence:
    from dataclasses import replace

    return Evidence(label, replace(fakes.element("x"), bbox=box), "a.pdf", 1.0)


def ink(page: Image.Image) -> int:
    """The number of black pixels: the words of a page."""
    return int((np.asarray(page.convert("RGB")).astype(int).sum(axis=2) < 60).sum())


def printed(boxes: list[BBox], size: tuple[int, int] = (600, 800)) -> Image.Image:
    """White paper, the boxes filled with lines of black text to their edges."""
    page = Image.new("RGB", size, "white")
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(11)
    for box in boxes:
        x0, y0, x1, y1 = (round(v) for v in box.to_page(*size))
        part = Image.new("RGB", (x1 - x0, y1 - y0), "white")
        inner = ImageDraw.Draw(part)
        for y in range(0, y1 - y0, 12):
            inner.text((0, y), "mill wheel rye stone " * 12, fill="black", font=font)
        page.paste(part, (x0, y0))
    assert pen is not None
    return page


COLUMNS = [BBox(0.06, 0.1, 0.34, 0.6), BBox(0.36, 0.1, 0.64, 0.6), BBox(0.66, 0.1, 0.94, 0.6)]


def test_the_frame_is_the_box_of_the_element_in_the_picture() -> None:
    image = labelled_page(Image.new("RGB", (600, 800), "white"), [piece("E1", BBox(0.5, 0.25, 0.75, 0.5))], 4096)
    margin = (image.width - 600) // 2
    assert margin > 0
    assert image.getpixel((margin + 300 - FRAME, 300)) == COLOURS[0]
    assert image.getpixel((margin + 450 + FRAME, 300)) == COLOURS[0]
    assert image.getpixel((margin + 375, 300)) == (255, 255, 255)


@pytest.mark.parametrize("boxes", [COLUMNS, [BBox(0.0, 0.0, 1.0, 1.0)], [BBox(0.02, 0.01, 0.98, 0.99)]])
def test_labels_cover_no_words(boxes: list[BBox]) -> None:
    page = printed(boxes)
    image = labelled_page(page, [piece(f"E{n}", box) for n, box in enumerate(boxes, 1)], 4096)
    lost = ink(page) - ink(image)
    assert lost <= 0.02 * ink(page)  # the frame at the edge of a page, and the line from a margin, may cross a word


def test_neighbours_differ_in_colour() -> None:
    boxes = [BBox(0.1, 0.1 * n, 0.9, 0.1 * n + 0.05) for n in range(1, 9)]
    image = labelled_page(printed(boxes), [piece(f"E{n}", box) for n, box in enumerate(boxes, 1)], 4096)
    seen = {image.getpixel((x, y)) for x in range(image.width) for y in range(0, image.height, 3)}
    assert set(COLOURS) <= seen


@given(
    st.lists(st.tuples(*[st.floats(0, 0.98)] * 2, *[st.floats(0.002, 1)] * 2), min_size=1, max_size=30),
    st.integers(40, 500),
    st.integers(40, 500),
)
def test_every_piece_has_a_label_in_the_picture(
    places: list[tuple[float, float, float, float]], width: int, height: int
) -> None:
    boxes = [BBox(x, y, min(1.0, x + w), min(1.0, y + h)) for x, y, w, h in places]
    pieces = [piece(f"E{n}", box) for n, box in enumerate(boxes, 1)]
    image = labelled_page(Image.new("RGB", (width, height), "white"), pieces, 400)
    assert max(image.height, height and image.height) <= 400
    assert (255, 255, 255) in {colour for _, colour in image.getcolors(1_000_000) or []}
