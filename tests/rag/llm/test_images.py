"""Images fitted to patches: within the limits, a fixed point of the fitting, in their own shape, and not too heavy."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from rag.llm.images import encode_image, fit_image, sent_size
from rag.llm.settings import ModelSettings

SIDES = st.integers(1, 20_000)


def settings(**more: int) -> ModelSettings:
    return ModelSettings(base_url="http://127.0.0.1/v1", name="tiny", **more)  # type: ignore[arg-type]


@example(1, 5379, 14, 262_144)  # whole patches make it narrower than what is padded
@given(SIDES, SIDES, st.sampled_from([14, 28, 32]), st.sampled_from([262_144, 1_048_576, 12_845_056]))
def test_the_size_sent_is_one_that_a_server_leaves_alone(width: int, height: int, patch: int, most: int) -> None:
    model = settings(patch=patch, max_pixels=most)
    w, h = sent_size(width, height, model)
    assert w % patch == 0
    assert h % patch == 0
    assert 65_536 <= w * h <= most
    assert max(w, h) <= 200 * min(w, h)
    assert sent_size(w, h, model) == (w, h)


def test_a_fitted_image_shows_what_it_showed() -> None:
    pixels = np.full((300, 500, 3), 255, np.uint8)
    pixels[30:90, 50:200] = (200, 10, 10)
    small = np.asarray(fit_image(Image.fromarray(pixels), settings(max_pixels=65_536 * 2)))
    red = np.argwhere(small[..., 1] < 100)
    height, width = small.shape[:2]
    (top, left), (bottom, right) = red.min(axis=0), red.max(axis=0) + 1
    assert (left / width, top / height) == pytest.approx((0.1, 0.1), abs=0.01)
    assert (right / width, bottom / height) == pytest.approx((0.4, 0.3), abs=0.01)


def test_a_very_narrow_image_stands_on_white() -> None:
    line = Image.new("RGB", (4000, 8), "black")
    shown = fit_image(line, settings())
    assert shown.width <= 200 * shown.height
    column = np.asarray(shown.convert("L"))[:, shown.width // 2]
    assert column[0] < 60
    assert column[-1] == 255


def test_drawings_are_png_and_photographs_jpeg() -> None:
    data, kind = encode_image(Image.new("RGB", (1024, 1024), "white"))
    assert (kind, data[:4]) == ("image/png", b"\x89PNG")
    noise = np.random.default_rng(7).integers(0, 255, (1024, 1024, 3), np.uint8)
    data, kind = encode_image(Image.fromarray(noise))
    assert kind == "image/jpeg"
    assert Image.open(io.BytesIO(data)).size == (1024, 1024)
