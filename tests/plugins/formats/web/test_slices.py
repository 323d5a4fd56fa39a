"""The cuts of a long page: between blocks, else between lines, and never more than a page is high."""

from __future__ import annotations

from indexing.types import Kind
from plugins.formats.web.page_data import Place, WebBlock, WebCell, WebPage, WebWord
from plugins.formats.web.slices import slices_of


def block(top: float, bottom: float, kind: Kind = "text", lines: int = 1, figure: int = -1) -> WebBlock:
    high = (bottom - top) / lines
    places: list[Place] = [(0.0, top + n * high, 9.0, top + (n + 1) * high) for n in range(lines)]
    words = tuple(WebWord("a", place, " ", -1, n) for n, place in enumerate(places))
    return WebBlock(kind, 1, False, figure, (0.0, top, 9.0, bottom), () if kind == "picture" else words)


def page(*blocks: WebBlock, height: float = 1e5) -> WebPage:
    return WebPage(980.0, height, blocks, (), 0, 0, 0, False)


def test_a_short_page_is_one_slice_down_to_what_is_on_it() -> None:
    assert slices_of(page(block(10, 50)), 1000, 9) == [(0, 74)]
    assert slices_of(page(block(10, 50), height=60), 1000, 9) == [(0, 60)]


def test_a_cut_goes_through_the_gap_above_what_does_not_fit() -> None:
    assert slices_of(page(block(0, 900), block(920, 1100), block(1200, 1300)), 1000, 9) == [(0, 910), (910, 1324)]


def test_a_heading_stays_with_what_follows_and_a_picture_with_its_caption() -> None:
    assert slices_of(page(block(0, 900), block(920, 960, "heading"), block(970, 1100)), 1000, 9)[0] == (0, 910)
    shown = block(800, 950, "picture", figure=3), block(960, 1020, "caption", figure=3)
    assert slices_of(page(block(0, 780), *shown), 1000, 9)[0] == (0, 790)


def test_a_long_paragraph_is_cut_between_its_lines() -> None:
    assert slices_of(page(block(0, 3000, lines=100)), 1000, 9) == [(0, 990), (990, 1980), (1980, 2970), (2970, 3024)]


def test_a_table_is_cut_between_its_rows_and_what_no_page_holds_where_it_is_full() -> None:
    words = (WebWord("a", (0.0, 5.0, 9.0, 15.0), " ", -1, 0),)
    cells = tuple(WebCell(n, 0, 1, 1, False, (0.0, 70.0 * n, 9.0, 70.0 * n + 70), words) for n in range(30))
    table = WebBlock("table", 0, False, 1, (0.0, 0.0, 9.0, 2100.0), (), cells)
    assert slices_of(page(table), 1000, 9)[0] == (0, 980)
    assert slices_of(page(block(0, 2500, "picture")), 1000, 9) == [(0, 1000), (1000, 2000), (2000, 2524)]


def test_what_is_kept_and_what_is_empty() -> None:
    long = page(*(block(30.0 * n, 30.0 * n + 20) for n in range(400)))
    assert slices_of(long, 1000, 2)[-1][1] < 2000
    assert [bottom for _, bottom in slices_of(long, 1000, 99, 2500)] == [985, 1975, 2485]
    assert slices_of(page(block(0, 50), block(90_000, 90_050)), 1000, 9) == [(0, 1000), (89_976, 90_074)]
    assert slices_of(page(), 1000, 9) == []


def test_many_lines_take_no_time() -> None:
    many = page(*(block(20.0 * n, 20.0 * n + 15) for n in range(50_000)))
    assert 990 < len(slices_of(many, 1000, 20_000)) < 1300
