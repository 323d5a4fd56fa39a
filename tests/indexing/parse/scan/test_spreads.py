"""A scan of two facing pages is read page by page, and no page that only has two columns is cut."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from indexing import BBox, IndexingSettings
from indexing.parse import parse_page
from indexing.parse.orientation import within
from indexing.parse.scan.spreads import facing_pages, gutter, gutter_column
from indexing.parse.scan.turns import image_page

LEFT = ["The mill is from 1887.", "It sold cider in May."]
RIGHT = ["A bridge stands here.", "Nobody crossed today."]
PLAIN = IndexingSettings(visual="none")


def side(lines: list[str]) -> NDArray[np.uint8]:
    """Return a page of a book (900, 650, 3)."""
    sheet = Image.new("RGB", (650, 900), (255, 255, 255))
    for number, line in enumerate(lines * 4):
        ImageDraw.Draw(sheet).text((90, 90 + 90 * number), line, fill=(20, 20, 60), font=ImageFont.load_default(40))
    return np.asarray(sheet)


def spread(shadow: float) -> NDArray[np.uint8]:
    """Return two facing pages (900, 1300, 3), with the shadow of a gutter between them."""
    image = np.concatenate([side(LEFT), side(RIGHT)], axis=1)
    across = abs(np.linspace(-0.5, 0.5, image.shape[1]))
    return np.asarray(image * (1 - shadow * np.exp(-across / 0.02))[None, :, None], np.uint8)


def page_of(image: NDArray[np.uint8]) -> tuple[pymupdf.Page, pymupdf.Document]:
    """Return a page that shows an image."""
    return image_page(np.ascontiguousarray(image), 2.0)


def test_the_gutter_is_the_middle_of_its_shadow() -> None:
    for shadow in (0.3, 0.6):
        page, _document = page_of(spread(shadow))
        middle = gutter(page)
        assert middle is not None
        assert abs(middle / page.rect.width - 0.5) < 0.01


def test_columns_without_a_shadow_are_one_page() -> None:
    page, _document = page_of(spread(0.0))
    assert gutter(page) is None
    assert facing_pages(page, 900) == ()


def test_what_is_printed_across_the_gutter_keeps_the_page_whole() -> None:
    image = spread(0.6)
    image[60:90, 200:1100] = 0
    assert gutter_column(image) is None


def test_a_shadow_that_ends_on_the_way_down_is_a_picture() -> None:
    image = np.concatenate([spread(0.6)[:450], spread(0.0)[450:]])
    assert gutter_column(image) is None


def test_portrait_and_blank_pages_have_no_gutter() -> None:
    tall, _tall = page_of(np.rot90(spread(0.6)))
    blank, _blank = page_of(np.full((900, 1300, 3), 255, np.uint8))
    assert gutter(tall) is None
    assert gutter(blank) is None


def test_each_facing_page_shows_its_part() -> None:
    page, _document = page_of(spread(0.6))
    left, right = facing_pages(page, 900)
    assert (left.part.x0, right.part.x1) == (0.0, 1.0)
    assert left.part.x1 == right.part.x0 == pytest.approx(0.5, abs=0.01)
    assert left.page.rect.width + right.page.rect.width == pytest.approx(page.rect.width, abs=1)
    assert left.page.rect.height == pytest.approx(page.rect.height, abs=1)


def test_a_box_of_a_part_is_a_box_of_the_page() -> None:
    part = BBox(0.5, 0.0, 1.0, 1.0)
    assert within(BBox(0.2, 0.1, 0.6, 0.3), part).as_tuple() == pytest.approx((0.6, 0.1, 0.8, 0.3))
    assert within(BBox(0.0, 0.0, 1.0, 1.0), part) == part


@pytest.mark.slow
@pytest.mark.parametrize(
    "quarters", [pytest.param(0, marks=pytest.mark.gate), 1, pytest.param(2, marks=pytest.mark.thorough)]
)
def test_facing_pages_are_read_one_after_the_other(quarters: int) -> None:
    page, _document = page_of(np.rot90(spread(0.6), -quarters))
    elements = parse_page(page, "d", PLAIN).elements
    single = [e for e in elements if e.kind != "group"]
    said = " ".join(e.text for e in single).split()
    assert set(said) == set(" ".join(LEFT + RIGHT).split())
    assert max(n for n, word in enumerate(said) if word == "cider") < said.index("bridge")
    assert len({e.id for e in elements}) == len(elements)
    places = {word: BBox(0.0, 0.0, 0.51, 1.0).rotate(quarters) for word in ("cider", "1887.")}
    places["bridge"] = BBox(0.49, 0.0, 1.0, 1.0).rotate(quarters)
    for element in elements:
        for word, place in places.items():
            if word in element.text:
                x0, y0, x1, y1 = element.bbox.as_tuple()
                assert place.x0 <= x0 < x1 <= place.x1
                assert place.y0 <= y0 < y1 <= place.y1
