"""A scan of two facing pages is read page by page, and no page that only has two columns is cut."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from indexing import BBox, IndexingSettings
from indexing.parse import parse_page
from indexing.parse.scan.spreads import facing_pages, gutter
from indexing.parse.scan.turns import image_page

LEFT = ["The mill is from 1887.", "It sold cider in May."]
RIGHT = ["A bridge stands here.", "Nobody crossed today."]
HALVES = BBox(0.0, 0.0, 0.51, 1.0), BBox(0.49, 0.0, 1.0, 1.0)


def spread(shadow: float) -> NDArray[np.uint8]:
    """Return two facing pages (900, 1300, 3), with the shadow of a gutter between them."""
    sheet = Image.new("RGB", (1300, 900), "white")
    for left, lines in ((90, LEFT * 4), (740, RIGHT * 4)):
        for number, line in enumerate(lines):
            place = (left, 90 + 90 * number)
            ImageDraw.Draw(sheet).text(place, line, fill=(20, 20, 60), font=ImageFont.load_default(40))
    light = 1 - shadow * np.exp(-abs(np.linspace(-0.5, 0.5, 1300)) / 0.02)
    return np.asarray(np.asarray(sheet) * light[None, :, None], np.uint8)


def with_line_across() -> NDArray[np.uint8]:
    image = spread(0.6)
    image[60:90, 200:1100] = 0
    return image


@pytest.mark.parametrize(
    "image",
    [
        pytest.param(spread(0.0), id="columns without a shadow"),
        pytest.param(with_line_across(), id="print across the gutter"),
        pytest.param(np.concatenate([spread(0.6)[:450], spread(0.0)[450:]]), id="shadow that ends on the way down"),
        pytest.param(np.full((900, 1300, 3), 255, np.uint8), id="blank"),
        pytest.param(spread(0.6)[:, 325:975], id="portrait"),
    ],
)
def test_other_pages_are_not_cut(image: NDArray[np.uint8]) -> None:
    assert facing_pages(image_page(np.ascontiguousarray(image), 2.0), 900) == []


@pytest.mark.parametrize(("shadow", "turns"), [(0.3, 0), (0.6, 0), (0.6, 1), (0.6, 2), (0.6, 3)])
def test_a_spread_is_cut_at_the_shadow_of_its_gutter(shadow: float, turns: int) -> None:
    assert gutter(spread(shadow)) == pytest.approx(0.5, abs=0.01)
    page = image_page(np.ascontiguousarray(np.rot90(spread(shadow), -turns)), 2.0)
    for (side, part), half in zip(facing_pages(page, 900, turns), HALVES, strict=True):
        assert part.iou(half.rotate(turns)) > 0.96
        assert (side.rect.width, side.rect.height) == pytest.approx((325, 450), abs=4)


def test_a_box_of_a_part_is_a_box_of_the_page() -> None:
    box = BBox(0.2, 0.1, 0.6, 0.3).scale_to(BBox(0.5, 0.0, 1.0, 1.0))
    assert box is not None
    assert box.as_tuple() == pytest.approx((0.6, 0.1, 0.8, 0.3))


@pytest.mark.slow
@pytest.mark.parametrize(
    "turns", [pytest.param(0, marks=pytest.mark.gate), 1, pytest.param(2, marks=pytest.mark.thorough)]
)
def test_facing_pages_are_read_one_after_the_other(turns: int) -> None:
    page = image_page(np.ascontiguousarray(np.rot90(spread(0.6), -turns)), 2.0)
    elements = parse_page(page, "d", IndexingSettings(visual="none")).elements
    words = " ".join(e.text for e in elements if e.kind != "group").split()
    assert words == " ".join(LEFT * 4 + RIGHT * 4).split()
    assert len({e.id for e in elements}) == len(elements)
    for text, left, half in (("cider", 90, HALVES[0]), ("bridge", 740, HALVES[1])):
        own = [e for e in elements if text in e.text]
        boxes = [BBox(*map(float, box)).rotate(-turns) for e in own for box in e.words.boxes]
        assert BBox.union(boxes).x0 == pytest.approx(left / 1300, abs=0.01)
        assert all(e.bbox.overlap(half.rotate(turns)) == pytest.approx(e.bbox.area) for e in own)
