"""Pictures that the layout model missed: what is drawn, without the prose that touches the frame around a text."""

from __future__ import annotations

import pymupdf
import pytest

from indexing.parse.scan import visual_regions

LEAST = 0.012
LINE = "The keeper of the mill writes down each sack of rye that comes by boat and by cart"
LEFT, RIGHT, TOP, BOTTOM = 68.0, 544.0, 128.0, 220.0


@pytest.fixture
def page() -> pymupdf.Page:
    """A page with a frame that holds lines of code."""
    made = pymupdf.open().new_page(width=612, height=792)
    made.draw_rect(pymupdf.Rect(LEFT, TOP, RIGHT, BOTTOM), width=0.5)
    for n in range(6):
        made.insert_text((72, TOP + 14 + 13 * n), "if test -e /etc/mill; then grind rye", fontname="cour", fontsize=9)
    return made


def write(page: pymupdf.Page, top: float, text: str = LINE, size: float = 12.5) -> None:
    """Write a line as wide as the frame, whose letters end at `top`."""
    page.insert_text((72, top), text, fontsize=size)


def regions(page: pymupdf.Page) -> list[tuple[float, float, float, float]]:
    return visual_regions(page, [word[:4] for word in page.get_text("words")], LEAST)


def test_a_frame_is_found(page: pymupdf.Page) -> None:
    ((x0, y0, x1, y1),) = regions(page)
    assert (x0, y0, x1, y1) == pytest.approx((LEFT, TOP, RIGHT, BOTTOM), abs=9)


@pytest.mark.parametrize("lines", [(117.0, 102.0), (238.0, 253.0), (117.0, 238.0)], ids=["above", "below", "both"])
def test_prose_that_touches_it_is_left_out(page: pymupdf.Page, lines: tuple[float, ...]) -> None:
    for top in lines:
        write(page, top)
    ((_, y0, _, y1),) = regions(page)
    assert (y0, y1) == pytest.approx((TOP, BOTTOM), abs=9)


def test_a_heading_on_it_is_a_part_of_it(page: pymupdf.Page) -> None:
    page.draw_rect(pymupdf.Rect(220, 106, 400, TOP), fill=(0.7, 0, 0.4), color=None)
    page.insert_text((240, 120), "Mills of the bay", fontsize=13, color=(1, 1, 1))
    ((_, y0, _, _),) = regions(page)
    assert y0 == pytest.approx(106, abs=9)


def test_what_stands_around_a_chart_is_a_part_of_it(page: pymupdf.Page) -> None:
    page.draw_rect(pymupdf.Rect(LEFT, TOP, RIGHT, BOTTOM), fill=(0.8, 0.8, 0.9))
    for n in range(12):
        page.draw_rect(pymupdf.Rect(80 + 38 * n, BOTTOM - 6 * n - 9, 105 + 38 * n, BOTTOM), fill=(0, 0, 0.6))
    write(page, 238.0)
    ((_, _, _, y1),) = regions(page)
    assert y1 > BOTTOM + 9


@pytest.mark.parametrize("above", [True, False], ids=["above and below", "below"])
def test_a_frame_narrower_than_the_prose_that_touches_it_is_found_alone(page: pymupdf.Page, above: bool) -> None:
    for top in ((89.0, 103.0, 117.0) if above else ()) + (238.0, 252.0, 266.0):
        write(page, top, LINE + " and on", size=13)
    ((x0, y0, x1, y1),) = regions(page)
    assert (x0, y0, x1, y1) == pytest.approx((LEFT, TOP, RIGHT, BOTTOM), abs=9)


def test_a_paragraph_that_touches_a_chart_without_a_frame_is_left_to_it() -> None:
    plain = pymupdf.open().new_page(width=612, height=792)
    for n in range(12):
        plain.draw_rect(pymupdf.Rect(72 + 38 * n, 120, 106 + 38 * n, 208), fill=(0, 0, 0.6))
    for n in range(4):
        write(plain, 220 + 13 * n, LINE + " and on")
    ((_, y0, _, y1),) = regions(plain)
    assert (y0, y1) == pytest.approx((120, 262), abs=9)


def test_a_frame_around_text_is_no_picture_and_one_around_a_drawing_is(page: pymupdf.Page) -> None:
    words = [word[:4] for word in page.get_text("words")]
    page.draw_circle((500, TOP + 40), 12)  # a sign, as beside a note
    assert visual_regions(page, words, LEAST, frames=False) == []
    page.draw_rect(pymupdf.Rect(330, TOP + 10, 530, BOTTOM - 10), fill=(0.3, 0.5, 0.3))
    for n in range(9):
        page.draw_line((335 + 20 * n, TOP + 12), (345 + 20 * n, BOTTOM - 12), width=4)
    assert len(visual_regions(page, words, LEAST, frames=False)) == 1


def alone(page: pymupdf.Page) -> list[tuple[float, float, float, float]]:
    """The pictures of a page whose frames around text are none."""
    return visual_regions(page, [word[:4] for word in page.get_text("words")], LEAST, frames=False)


@pytest.mark.parametrize("left", [LEFT, 66.0, 71.0, 90.0], ids=["as wide", "wider", "words hide its side", "set in"])
def test_frames_of_one_line_between_paragraphs_are_no_pictures(left: float) -> None:
    made = pymupdf.open().new_page(width=612, height=792)
    for top in (100, 170, 240):
        for n in range(3):
            write(made, top + 13 * n)
        made.draw_rect(pymupdf.Rect(left, top + 32, RIGHT, top + 51), width=0.5)
        made.insert_text((left + 3, top + 45), "make tide", fontname="cour", fontsize=9)
    assert alone(made) == []


def test_a_box_to_which_lines_lead_is_a_part_of_its_drawing() -> None:
    made = pymupdf.open().new_page(width=612, height=792)
    for n in range(4):
        made.draw_rect(pymupdf.Rect(150, 100 + 90 * n, 450, 150 + 90 * n))
        made.insert_text((160, 130 + 90 * n), "The keeper weighs each sack of rye, then writes it down", fontsize=10)
        if n:
            made.draw_line((300, 60 + 90 * n), (300, 100 + 90 * n), width=2)
    ((x0, y0, x1, y1),) = alone(made)
    assert (x0, y0, x1, y1) == pytest.approx((150, 100, 450, 420), abs=9)


def test_a_table_with_rules_is_parted_from_the_prose_that_touches_it() -> None:
    made = pymupdf.open().new_page(width=612, height=792)
    for n in range(8):
        made.draw_rect(pymupdf.Rect(LEFT, TOP + 24 * n, RIGHT, TOP + 24 * n + 24))
        made.draw_line((300, TOP + 24 * n), (300, TOP + 24 * n + 24))
        made.insert_text((72, TOP + 24 * n + 15), "Sacks of rye that came by boat", fontsize=11)
    for n in range(5):
        write(made, 73 + 13 * n)
    ((_, y0, _, y1),) = alone(made)
    assert (y0, y1) == pytest.approx((TOP, TOP + 192), abs=9)
