"""Boxes on the right pixels, numbers in the right places, dashes alone around what was not proven."""

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image, ImageChops

import ui
from indexing import BBox
from rag import Sentence
from tests.ui.stand_ins import UNPROVEN, Shelf, answer, citation
from ui.show.overlay import badge_height, draw_overlay, pixels, place_badges

WHITE = (255, 255, 255)


def tinted(image: Image.Image, x: int, y: int) -> bool:
    return image.getpixel((x, y)) != WHITE


@pytest.mark.parametrize("size", [(400, 500), (1000, 300), (1403, 1985)])
def test_the_fill_covers_the_box_and_nothing_far_from_it(size: tuple[int, int]) -> None:
    box = BBox(0.5, 0.25, 0.75, 0.4)
    drawn = draw_overlay(Image.new("RGB", size, "white"), [(1, citation(bbox=box, boxes=()))])
    left, top, right, bottom = (round(v) for v in box.to_page(*size))
    for x, y in [(left, top), (right - 1, top), (left, bottom - 1), (right - 1, bottom - 1)]:
        assert tinted(drawn, x, y)
    air = badge_height(size[0]) * 3
    assert not tinted(drawn, right + air, (top + bottom) // 2)
    assert not tinted(drawn, (left + right) // 2, min(size[1] - 1, bottom + air))
    assert not tinted(drawn, 0, 0)


def test_header_cells_are_dashed_and_not_filled() -> None:
    page = Image.new("RGB", (700, 900), "white")
    plain = citation(bbox=BBox(0.2, 0.2, 0.8, 0.8), boxes=[BBox(0.5, 0.5, 0.6, 0.55)])
    headed = replace(plain, context=(BBox(0.5, 0.25, 0.6, 0.3),))
    changed = ImageChops.difference(draw_overlay(page, [(1, plain)]), draw_overlay(page, [(1, headed)])).convert("L")
    left, top, right, bottom = (round(v) for v in headed.context[0].to_page(700, 900))
    assert changed.crop((left, top, right, bottom)).getbbox() is None
    along_the_top = [changed.getpixel((x, top - 1)) > 0 for x in range(left, right)]
    assert 0.3 < sum(along_the_top) / len(along_the_top) < 0.8
    assert changed.crop((0, 0, left - 2, 900)).getbbox() is None
    assert changed.crop((0, bottom + 2, 700, 900)).getbbox() is None


@pytest.mark.parametrize(
    "box", [BBox(0.0, 0.0, 0.1, 0.1), BBox(0.9, 0.95, 1.0, 1.0), BBox(0.0, 0.0, 1.0, 1.0), BBox(0.4, 0.4, 0.401, 0.401)]
)
def test_badges_stay_on_the_page(box: BBox) -> None:
    page = Image.new("RGB", (300, 400), "white")
    for badge in place_badges(page, [(12, citation(bbox=box, boxes=()))], 14):
        left, top, right, bottom = badge.rect
        assert 0 <= left < right <= 300
        assert 0 <= top < bottom <= 400


def test_an_unconfirmed_place_has_a_grey_dashed_outline_and_no_fill() -> None:
    page = Image.new("RGB", (1400, 1750), "white")
    marked = draw_overlay(page, [(1, citation(bbox=UNPROVEN, boxes=(), role="unconfirmed"))])
    left, top, right, bottom = pixels(UNPROVEN, page.size)
    assert marked.crop((left, top, right, bottom)).getcolors() == [((right - left) * (bottom - top), (255, 255, 255))]
    edge = [marked.getpixel((x, bottom + 3)) for x in range(left, right)]
    dark = [pixel != (255, 255, 255) for pixel in edge]
    assert 0.3 < sum(dark) / len(dark) < 0.7
    assert all(max(pixel) - min(pixel) < 20 for pixel in edge)  # type: ignore[arg-type,type-var]


def test_saving_writes_one_safe_png_a_page(tmp_path: Path) -> None:
    hostile = citation(2, document="../../a b\x1b[31m.pdf", page=3)
    other = Sentence("c", (citation(4, page=9),), "quoted", beside=True)
    own = Sentence("a", (citation(1), hostile), "confirmed"), Sentence("b", (citation(3),), "confirmed")
    found = answer(*own, other)
    paths = ui.save_overlays(found, Shelf(), tmp_path / "new" / "folder")  # type: ignore[arg-type]
    assert [p.name for p in paths] == ["1-report.pdf-p1.png", "2-a-b.pdf-p3.png"]
    assert sorted((tmp_path / "new" / "folder").iterdir()) == sorted(paths)
    with Image.open(paths[0]) as image:
        assert image.size == (1400, 1750)
