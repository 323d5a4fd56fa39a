"""What a question needs of its image: the words of the page from its top, upright, and no more lines than that."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from indexing.parse.scan.first_text import scanned_text
from indexing.parse.scan.turns import image_page

MILL = ["The mill was built in 1887 by Anna Holm.", "It grinds rye in October, and bar-", "ley in May and in June."]
BRIDGE = ["A harbour bridge stands beside it.", "It is steel, and 90 metres long.", "Nobody crossed it today."]
PIXELS = 1200


def sheet(*columns: list[str], size: tuple[int, int] = (1200, 900), darkness: int = 20) -> np.ndarray:
    """Return a white image (h, w, 3) with columns of lines, all alike in height."""
    image = Image.new("RGB", size, "white")
    font, width = ImageFont.load_default(26), size[0] // len(columns)
    for column, lines in enumerate(columns):
        for number, line in enumerate(lines):
            ImageDraw.Draw(image).text((40 + column * width, 60 + 34 * number), line, fill=(darkness,) * 3, font=font)
    return np.asarray(image)


def text_of(image: np.ndarray, most: int = 600) -> str:
    page, _document = image_page(np.ascontiguousarray(image), 2.0)
    return scanned_text(page, PIXELS, most)


def test_columns_are_read_one_after_the_other_and_broken_words_joined() -> None:
    said = text_of(sheet(MILL, BRIDGE)).splitlines()
    assert said == [
        "The mill was built in 1887 by Anna Holm. It grinds rye in October, and barley in May and in June.",
        "A harbour bridge stands beside it. It is steel, and 90 metres long. Nobody crossed it today.",
    ]


def test_of_a_long_page_the_lines_at_the_top_are_read() -> None:
    lines = [f"Line {number} of the almanac tells of the tides." for number in range(1, 23)]
    said = text_of(sheet(lines), most=100)
    assert said == " ".join(lines[:3])


@pytest.mark.parametrize(
    "quarters", [0, pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(3, marks=pytest.mark.slow)]
)
def test_a_turned_page_is_read_upright(quarters: int) -> None:
    said = text_of(np.rot90(sheet(MILL * 3), quarters), most=100)
    assert said.startswith("The mill was built in 1887 by Anna Holm.")


@pytest.mark.slow
def test_of_facing_pages_the_left_one_is_read_first() -> None:
    both = np.concatenate([sheet(MILL, size=(700, 1000)), sheet(BRIDGE, size=(700, 1000))], axis=1)
    shadow = 1 - 0.6 * np.exp(-abs(np.linspace(-0.5, 0.5, both.shape[1])) / 0.02)
    spread = np.asarray(both * shadow[None, :, None], np.uint8)
    assert "bridge" not in text_of(spread, most=50)
    assert text_of(spread).index("Anna Holm") < text_of(spread).index("bridge")


@pytest.mark.parametrize(("darkness", "read"), [(250, False), (150, True)])
def test_what_nobody_sees_is_not_read(darkness: int, read: bool) -> None:
    assert ("Anna Holm" in text_of(sheet(MILL, darkness=darkness))) is read


def test_a_page_without_writing_says_nothing() -> None:
    assert text_of(np.full((600, 800, 3), 255, np.uint8)) == ""
