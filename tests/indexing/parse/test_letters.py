"""Letters look like what a text says they are: the look that comes before OCR confirms honest lines, and no others."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from indexing.parse import unlike
from indexing.parse.likeness import SIDE, Drawing, Ink, PageGlyphs, crop, kind_of
from indexing.parse.likeness.drawing import glyph_crops, ink_of
from indexing.parse.likeness.letters import LEAST_OF_A_FIGURE, confirmed_words, letter_network
from indexing.types import BBox, LayerWord
from tests.support import documents
from tests.support.disguises import DISGUISES, disguised

HONEST = "Sales rose by 7.4% to 1,236,590 crowns (see page 38), while costs fell."
Paint = Callable[[pymupdf.Page], object]


def lines_of(page: pymupdf.Page) -> list[list[LayerWord]]:
    """Return the lines of a page's text, as it stands there."""
    lines: dict[tuple[int, int], list[LayerWord]] = {}
    for x0, y0, x1, y1, text, block, line, _ in page.get_text("words"):
        box = BBox.from_page(x0, y0, x1, y1, page.rect.width, page.rect.height)
        if box is not None:
            lines.setdefault((block, line), []).append(LayerWord(text, box))
    return list(lines.values())


def line_of(page: pymupdf.Page) -> list[LayerWord]:
    """Return the words of the first line of a page's text."""
    return lines_of(page)[0]


def nothing(_: pymupdf.Page) -> None:
    """Paint nothing."""


def page_with(text: str, paint: Paint = nothing, **how: object) -> pymupdf.Page:
    page = pymupdf.open().new_page(width=560, height=100)
    page.insert_text((30, 50), text, **{"fontsize": 11, **how})
    paint(page)
    return documents.reopened(page)


def sure_of(page: pymupdf.Page, line: list[LayerWord] | None = None) -> list[str]:
    """Return the words of a line that the look at letters confirms."""
    words = line or line_of(page)
    (sure,) = confirmed_words([words], Drawing(page))
    return [words[n].text for n in sorted(sure or ())]


@pytest.mark.parametrize(
    ("font", "how"),
    [
        ("helv", {}),
        ("tiro", {"fontsize": 9}),
        ("heit", {"color": (0.4, 0.1, 0.1)}),
        ("tibo", {"fontsize": 14}),
        ("cour", {"fontsize": 8}),
    ],
)
def test_most_words_of_an_honest_line_are_confirmed(font: str, how: dict[str, object]) -> None:
    page = page_with(HONEST, fontname=font, **how)
    assert len(sure_of(page)) >= 0.75 * len(HONEST.split())
    assert unlike(page, [line_of(page)]) == ()


def test_an_honest_line_may_be_underlined_or_stand_on_dark_paper() -> None:
    under = page_with(HONEST, lambda page: page.draw_line((30, 51.5), (390, 51.5), width=0.6))
    assert len(sure_of(under)) >= len(HONEST.split()) - 2
    dark = pymupdf.open().new_page(width=560, height=100)
    dark.draw_rect((20, 30, 540, 60), color=None, fill=(0.1, 0.2, 0.4))
    dark.insert_text((30, 50), HONEST, fontsize=11, color=(1, 1, 1))
    assert len(sure_of(documents.reopened(dark))) >= len(HONEST.split()) - 2


@pytest.mark.parametrize("font", ["helv", "tiro", "cour", "hebo", "tiit"])
def test_no_figure_is_taken_for_another(font: str) -> None:
    """Of each figure that a page shows, none of the nine others is likely."""
    network = letter_network()
    page = page_with(string.digits, fontname=font)
    glyphs, ink = PageGlyphs.of(page), Drawing(page).ink((30, 38, 200, 54))
    told = network.probabilities(glyph_crops(ink, glyphs.places))
    for shown, row in zip(glyphs.chars, told, strict=True):
        likely = {other: float(row[network.kinds.index(kind_of(other))]) for other in string.digits}
        assert likely.pop(shown) > LEAST_OF_A_FIGURE
        assert max(likely.values()) < 0.1


def lies_in(line: Sequence[LayerWord]) -> set[int]:
    """Return the words of a line that its disguised page does not show; where it shows one more, both beside it."""
    texts = [word.text for word in line]
    missing = {n for n in range(len(texts) - 1) if texts[n : n + 2] == ["does", "run"]}
    return {n for n, text in enumerate(texts) if text in ("4", "must")} | missing | {n + 1 for n in missing}


def test_no_disguise_is_confirmed(tmp_path: Path) -> None:
    """Of what the text layers say, as they stand: indexing finds most of these lies out before."""
    reached = []
    for way in DISGUISES:
        with pymupdf.open(disguised(tmp_path / f"{way.__name__}.pdf", way)) as document:
            lines = [line for line in lines_of(document[0]) if lies_in(line)]
            for line, sure in zip(lines, confirmed_words(lines, Drawing(document[0])), strict=True):
                reached.append(way.__name__)
                assert not lies_in(line) <= (sure or set()), way.__name__
    assert len(reached) >= 12, reached


def white(page: pymupdf.Page) -> None:
    page.draw_rect((60, 38, 100, 47), color=None, fill=(1, 1, 1))


def test_what_is_painted_over_or_cut_is_not_confirmed() -> None:
    whole = sure_of(page_with(HONEST))
    assert set(sure_of(page_with(HONEST, white))) < set(whole)


def test_a_word_more_on_the_page_leaves_the_line_in_doubt() -> None:
    page = page_with("It does not run in winter.")
    line = [word for word in line_of(page) if word.text != "not"]
    assert sure_of(page, line) == []


def test_a_figure_beside_the_number_leaves_the_line_in_doubt() -> None:
    page = page_with("It costs 915 crowns.")
    words = page.get_text("words")
    x0, y0, x1, y1 = words[2][:4]
    box = BBox.from_page(x0 + (x1 - x0) / 3, y0, x1, y1, page.rect.width, page.rect.height)
    assert box is not None
    assert sure_of(page, [LayerWord("15", box)]) == []


def test_glyphs_in_another_order_are_not_confirmed() -> None:
    page = pymupdf.open().new_page(width=200, height=100)
    page.insert_text((60, 50), "5", fontsize=11)
    page.insert_text((53.8, 50), "1", fontsize=11)
    page = documents.reopened(page)
    box = BBox.from_page(50, 38, 72, 54, 200, 100)
    assert box is not None
    assert sure_of(page, [LayerWord("51", box)]) == []


def test_blank_pages_and_rotated_ones_confirm_nothing() -> None:
    blank = pymupdf.open().new_page(width=560, height=100)
    assert confirmed_words([[LayerWord("47%", BBox(0.1, 0.4, 0.3, 0.6))]], Drawing(blank)) == [None]
    page = page_with(HONEST)
    page.set_rotation(90)
    assert sure_of(page, line_of(page_with(HONEST))) == []


def test_what_is_paler_than_its_line_is_not_seen() -> None:
    page = pymupdf.open().new_page(width=560, height=100)
    page.insert_text((30, 50), "It does", fontsize=11)
    page.insert_text((70, 50), "not", fontsize=11, color=(0.8, 0.8, 0.8))
    page.insert_text((92, 50), "run in winter.", fontsize=11)
    page = documents.reopened(page)
    assert "not" not in sure_of(page)
    assert "winter." in sure_of(page)


def test_a_glyph_of_any_size_takes_no_more_memory_than_its_line() -> None:
    page = pymupdf.open().new_page(width=560, height=100)
    page.insert_text((30, 50), "It costs 15 crowns.", fontsize=11)
    page.insert_text((100, 400), "5", fontsize=9000)
    page = documents.reopened(page)
    box = BBox(0.1, 0.4, 0.9, 0.401)
    for word in ("5", "15"):
        assert sure_of(page, [LayerWord(word, box)]) == []


def test_ink_is_what_differs_from_the_paper() -> None:
    image = np.full((20, 40, 3), 250, np.uint8)
    assert ink_of(image).max() == 0
    image[5:15, 10:20] = (20, 40, 200)
    ink = ink_of(image)
    assert ink[10, 15] == pytest.approx(1)
    assert ink[0].max() == 0
    assert ink_of(np.zeros((0, 0, 3), np.uint8)).shape == (0, 0)


def test_a_crop_has_the_glyph_in_its_middle_and_its_neighbours_out_of_it() -> None:
    pixels = np.zeros((48, 200), np.float32)
    pixels[8:40, 90:110] = 1
    pixels[8:40, 60:80] = 1  # a neighbour
    found = crop(Ink(pixels, 1.0, 0.0, 0.0), (88.0, 112.0), 40.0, 35.0)
    assert found.shape == (SIDE, SIDE)
    columns = np.flatnonzero(found.max(axis=0) > 0.5)
    assert abs(columns.mean() - (SIDE - 1) / 2) < 1
    assert len(columns) < SIDE * 24 / (1.2 * 35) + 3
    assert crop(Ink(pixels, 1.0, 0.0, 0.0), (900.0, 910.0), 40.0, 35.0).max() == 0, "outside of what is drawn"


def test_look_alikes_are_of_one_kind_and_figures_are_not() -> None:
    assert kind_of("O") == kind_of("0")
    assert kind_of("\u00e9") == kind_of("e")
    assert (kind_of(","), kind_of("(")) == (".", "sign")
    assert len({kind_of(c) for c in string.digits}) == 10
