"""Letters look like what a text says they are: the look that comes before OCR confirms honest lines, and no others."""

import string
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from indexing.parse import mismatches
from indexing.parse.print_verification import SIDE, Drawing, Ink, PageGlyphs, crop, kind_of
from indexing.parse.print_verification.drawing import glyph_crops
from indexing.parse.print_verification.letters import LEAST_OF_A_FIGURE, confirmed_words, letter_network
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
        ("helv", {}), ("tiro", {"fontsize": 9}), ("heit", {"color": (0.4, 0.1, 0.1)}), ("tibo", {"fontsize": 14}),
        ("cour", {"fontsize": 8}),
    ],
)  # fmt: skip
def test_most_words_of_an_honest_line_are_confirmed(font: str, how: dict[str, object]) -> None:
    page = page_with(HONEST, fontname=font, **how)
    assert len(sure_of(page)) >= 0.75 * len(HONEST.split())
    assert mismatches(page, [line_of(page)]) == ()


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
