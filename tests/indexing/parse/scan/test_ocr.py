"""Text recognition, of sheets that lie turned and of spreads."""

from functools import cache

import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from indexing import BBox, Element, IndexingSettings
from indexing.parse import parse_page, scanned_text
from indexing.parse.scan.ocr import read_page, recognise
from indexing.parse.scan.sheets import facing_pages, gutter, image_page
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


LINES = [
    "The mill was built in 1887 by Anna Holm.",
    "It sold 1,200 barrels of cider in May.",
    "The bridge stands beside it.",
]
SHEET = np.asarray(documents.picture(LINES * 3, (900, 800)).convert("RGB"))


def page_of(image: NDArray[np.uint8]) -> pymupdf.Page:
    height, width = image.shape[:2]
    page = pymupdf.open().new_page(width=width / 2, height=height / 2)
    page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csRGB, width, height, image.tobytes(), False))
    return page


def words_of(elements: tuple[Element, ...]) -> list[tuple[str, BBox]]:
    """Return the words in reading order, each with its box."""
    return [
        (element.text[start:end], element.words.line_boxes(start, end)[0])
        for element in elements
        for start, end in (element.words.spans.tolist() if not element.parts else ())
    ]


@cache
def turned(quarters: int) -> tuple[Element, ...]:
    """Return the elements of the sheet, turned clockwise by quarters."""
    return parse_page(page_of(np.rot90(SHEET, -quarters)), "d", IndexingSettings(visual="none")).elements


@pytest.mark.slow
@pytest.mark.parametrize("quarters", [pytest.param(1, marks=pytest.mark.gate), 2, 3])
def test_a_turned_sheet_has_the_same_words_at_the_turned_places(quarters: int) -> None:
    upright, found = words_of(turned(0)), words_of(turned(quarters))
    assert {word for word, _ in found} == {word for word, _ in upright} == set(" ".join(LINES).split())
    assert len(found) == len(upright)
    for word, box in found:
        assert max(box.iou(place.rotate(quarters)) for other, place in upright if other == word) > 0.5


@pytest.mark.parametrize("quarters", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_the_text_of_a_scan_is_read_upright_from_its_top(quarters: int) -> None:
    text = scanned_text(page_of(np.rot90(SHEET, quarters)), 1200, 60)
    assert " ".join(text.split()) == " ".join(LINES[:2])


@pytest.mark.parametrize(("darkness", "read"), [(250, False), (150, True)])
def test_what_nobody_sees_is_no_text_of_a_scan(darkness: int, read: bool) -> None:
    image = np.where(SHEET < 128, np.uint8(darkness), np.uint8(255))
    assert ("Anna Holm" in scanned_text(page_of(image), 1200, 600)) is read


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
