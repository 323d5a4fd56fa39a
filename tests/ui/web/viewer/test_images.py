"""Page images: light enough, drawn once, of the width that the screen needs, never larger than a machine can bear."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from ui.web.viewer.pages import (
    LIGHT_WIDTH,
    MOST_BYTES,
    MOST_PIXELS,
    WIDTHS,
    address,
    fitting,
    webp,
)


def noise(width: int, height: int) -> Image.Image:
    """A picture that compresses as badly as any photograph of a page."""
    return Image.fromarray(np.random.default_rng(1).integers(0, 255, (height, width, 3), np.uint8), "RGB")


@pytest.mark.slow
def test_even_the_worst_page_is_light_at_the_default_zoom() -> None:
    data = webp(noise(LIGHT_WIDTH, 2715))
    assert len(data) <= MOST_BYTES
    assert Image.open(io.BytesIO(data)).size == (LIGHT_WIDTH, 2715)


@given(st.sampled_from(WIDTHS), st.floats(1, 20_000), st.floats(1, 20_000))
def test_no_page_shape_becomes_a_huge_image(width: int, page_width: float, page_height: float) -> None:
    drawn = fitting(width, page_width, page_height)
    assert 1 <= drawn <= width
    assert drawn == 1 or drawn * drawn * page_height / page_width <= MOST_PIXELS * 1.001


@pytest.mark.parametrize("name", ["../x", "a b", 'a"b', "a#b?c=d", "<svg>"])
def test_an_address_holds_nothing_but_itself(name: str) -> None:
    made = address(name, name, 3)
    assert made.startswith("vouch/page/")
    assert made.count("/") == 4
    assert not set(made) & set(' "<>?#')
