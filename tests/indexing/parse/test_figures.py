"""One box for each figure, none for decoration, and no element twice. Boxes in points of a page of 600 x 800."""

from __future__ import annotations

import pymupdf

from indexing.parse import parse_page
from indexing.parse.scan.figures import is_decoration, merged_figures
from indexing.settings import IndexingSettings

SETTINGS = IndexingSettings(visual="none", ocr="never")
CHART, BARS = (100.0, 100.0, 500.0, 400.0), (150.0, 120.0, 450.0, 380.0)


def test_a_chart_of_which_the_model_sees_a_part_is_one_figure_with_its_legend() -> None:
    assert merged_figures([BARS], [], [CHART], []) == ([CHART], [])


def test_two_regions_of_the_model_for_one_chart_are_one() -> None:
    assert merged_figures([BARS, CHART], [], [], []) == ([None, CHART], [])


def test_pieces_of_an_image_are_one_figure() -> None:
    halves = [(100.0, 100.0, 300.0, 400.0), (300.0, 100.0, 500.0, 400.0)]
    assert merged_figures([], halves, [CHART], []) == ([], [CHART])


def test_a_panel_of_several_figures_is_none() -> None:
    pies = [(110.0, 150.0, 210.0, 250.0), (300.0, 150.0, 400.0, 250.0)]
    assert merged_figures(pies, [], [CHART], []) == (pies, [])


def test_what_lies_behind_text_is_no_figure() -> None:
    title = (120.0, 200.0, 480.0, 300.0)
    assert merged_figures([], [CHART], [], [title]) == ([], [])
    assert merged_figures([], [], [CHART], [title]) == ([], [CHART])


def _page() -> pymupdf.Page:
    page = pymupdf.open().new_page(width=600, height=800)
    page.draw_rect((0, 0, 20, 800), fill=(0.2, 0.4, 0.6))
    page.draw_rect((200, 200, 300, 300), fill=(0.5, 0.5, 0.5), color=None)
    page.draw_rect((400, 200, 440, 300), fill=(1, 0, 0))
    return page


def test_a_border_a_rule_and_a_plain_area_are_decoration() -> None:
    page = _page()
    assert is_decoration(page, (0, 0, 20, 800))
    assert is_decoration(page, (100, 500, 500, 505))
    assert is_decoration(page, (210, 210, 290, 290))
    assert not is_decoration(page, (380, 180, 480, 320))


def test_bare_signs_are_no_elements_and_words_printed_twice_are_read_once() -> None:
    page = pymupdf.open().new_page(width=600, height=800)
    page.insert_text((60, 80), "Appendix D", fontname="hebo", fontsize=20)
    page.insert_text((60.4, 80), "Appendix D", fontname="hebo", fontsize=20)
    page.insert_textbox((60, 120, 540, 200), "The ferry leaves the quay at six and comes back at nine.", fontsize=11)
    page.insert_text((60, 300), "____________________", fontsize=11)
    page.insert_textbox((60, 340, 540, 400), "Its crew of four counts the passengers and the crates.", fontsize=11)
    texts = [e.text for e in parse_page(page, "d", SETTINGS).elements if e.kind != "group"]
    assert "Appendix D" in texts
    assert not any("____" in text for text in texts)
