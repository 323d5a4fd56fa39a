"""Words agree with their page, or they do not: every way in which a text can lie is seen, and honest pages are not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest

from indexing import IndexingSettings
from indexing.parse import parse_page, unlike
from indexing.parse.likeness import differences, folded
from indexing.types import BBox, LayerWord, Mismatch, layer_lines
from tests.support.disguises import AROUND, DISGUISES, SAID, SHOWN, Disguise, disguised

LAID_BARE = {"actual_text", "actual_text_of_nothing"}
"""The ways that indexing undoes: the text is then what is shown."""


def test_the_ways_are_many() -> None:
    assert len(DISGUISES) >= 13


@pytest.mark.slow
@pytest.mark.parametrize("way", DISGUISES, ids=lambda way: way.__name__)
def test_no_way_leaves_words_that_the_page_does_not_show(way: Disguise, tmp_path: Path) -> None:
    with pymupdf.open(disguised(tmp_path / "d.pdf", way)) as document:
        elements = parse_page(document[0], "d", IndexingSettings(visual="none", ocr_pixels=1536)).elements
        text = " ".join(e.text for e in elements)
        lines = layer_lines(elements, [e.bbox for e in elements])
        found = unlike(document[0], [line for line in lines if AROUND[1] not in " ".join(w.text for w in line)])
    hidden = not {"4", "must", "does run"}.intersection(part for part in ("4", "must", "does run") if part in text)
    assert hidden or found
    if way.__name__ in LAID_BARE:
        assert (SHOWN in text, found) == (True, ())
    assert AROUND[1] in text


@pytest.mark.slow
def test_honest_words_agree_in_any_font_size_colour_and_direction() -> None:
    document = pymupdf.open()
    page = document.new_page(width=420, height=595)
    for n, (font, size, colour) in enumerate(
        [("helv", 11, 0), ("tiit", 8, 0.3), ("cour", 9, 0), ("tibo", 24, 0.6), ("helv", 6, 0), ("heit", 14, 0.75)]
    ):
        page.insert_text((30, 50 + 40 * n), SHOWN[:30] + " 1,236.50", fontname=font, fontsize=size, color=(colour,) * 3)
    page.insert_text((390, 560), "It runs up the page in 2019.", fontsize=10, rotate=90)
    page.draw_rect((30, 300, 400, 330), color=None, fill=(0.1, 0.1, 0.3))
    page.insert_text((40, 320), "White on blue, 47% of 8,113 people.", fontsize=10, color=(1, 1, 1))
    for turn in (0, 90, 180):
        page.set_rotation(turn)
        opened = pymupdf.open("pdf", document.tobytes())
        elements = parse_page(opened[0], "d", IndexingSettings(visual="none", ocr="never")).elements
        assert sum(len(e.words) for e in elements if not e.parts) > 40
        if turn != 180:  # upside down, OCR reads other words
            assert unlike(opened[0], layer_lines(elements, [e.bbox for e in elements])) == ()


def drawn(text: str) -> pymupdf.Page:
    page = pymupdf.open().new_page(width=420, height=100)
    page.insert_text((40, 50), text, fontsize=12)
    return pymupdf.open("pdf", page.parent.tobytes())[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shown", "said", "found"),
    [
        ("It costs 9 crowns.", "It costs 4 crowns.", (Mismatch("4", "9"),)),
        ("It costs 1.5 crowns.", "It costs 15 crowns.", (Mismatch("15", "1.5"),)),
        ("Sales will decrease.", "Sales will increase.", (Mismatch("increase.", "decrease"),)),
        ("It does not run.", "It does run.", (Mismatch("", "not", agreed=False),)),
        ("9", "4", (Mismatch("4", "9"),)),
        ("It costs 4 crowns.", "It costs 4 crowns.", ()),
        ("\u03b1 = 4, \u00a7 7 (see Se\u00f1or Bj\u00f6rk)", "\u03b1 = 4, \u00a7 7 (see Se\u00f1or Bj\u00f6rk)", ()),
    ],
)
def test_what_differs_is_named(shown: str, said: str, found: tuple[Mismatch, ...]) -> None:
    page = drawn(shown)
    x0, y0, x1, y1 = page.get_text("blocks")[0][:4]
    step = (x1 - x0) / len(said)
    line, at = [], 0
    for word in said.split():
        start = said.index(word, at)
        at = start + len(word)
        box = BBox.from_page(x0 + step * start, y0, x0 + step * at, y1, page.rect.width, page.rect.height)
        assert box is not None
        line.append(LayerWord(word, box))
    assert unlike(page, [line]) == found


def with_number(number: str, size: float, font: str, minus: str = "") -> tuple[pymupdf.Page, list[LayerWord], float]:
    """A page, the words of its text without a minus, and the width of one; `minus` is how it is drawn: glyph or bar."""
    page = pymupdf.open().new_page(width=420, height=100)
    width = pymupdf.Font(font).text_length("-", size)
    x = 40 + pymupdf.Font(font).text_length("It fell to ", size)
    page.insert_text((40, 50), "It fell to", fontname=font, fontsize=size)
    page.insert_text((x + width, 50), number, fontname=font, fontsize=size)
    if minus == "bar":
        page.draw_rect((x + 0.1 * width, 50 - 0.3 * size, x + 0.9 * width, 50 - 0.23 * size), color=None, fill=0)
    elif minus:
        page.insert_text((x, 50), minus, fontname=font, fontsize=size)
    page = pymupdf.open("pdf", page.parent.tobytes())[0]
    words = []
    for x0, y0, x1, y1, said, *_ in page.get_text("words"):
        bare = said == "-" + number
        box = BBox.from_page(x0 + width if bare else x0, y0, x1, y1, page.rect.width, page.rect.height)
        assert box is not None
        words.append(LayerWord(said.removeprefix("-"), box))
    return page, words, width / page.rect.width


@pytest.mark.slow
@pytest.mark.parametrize("font", ["helv", "tiro", "cour", "hebo", "tiit"])
@pytest.mark.parametrize("size", [6, 11, 24])
@pytest.mark.parametrize("number", ["5%", "4.2", "$3.81", "1,236", "70"])
def test_a_minus_that_only_the_text_or_only_the_page_has_is_named(font: str, size: float, number: str) -> None:
    page, words, width = with_number(number, size, font)
    wide = replace(words[-1].bbox, x0=words[-1].bbox.x0 - width)
    assert unlike(page, [words]) == ()
    for sign in "-\u2212\u2013":
        said = f"{sign}{number}"
        assert unlike(page, [[*words[:-1], LayerWord(said, wide)]]) == (Mismatch(said, number, agreed=False),)
    page, words, _ = with_number(number, size, font, "-")
    assert unlike(page, [[*words[:-1], LayerWord(f"-{number}", wide)]]) == ()
    page, words, _ = with_number(number, size, font, "bar")
    assert unlike(page, [words]) == (Mismatch(number, f"-{number}", agreed=False),)


@pytest.mark.slow
@pytest.mark.parametrize("turn", [0, 90, 270])
@pytest.mark.parametrize(
    "text", ["- 5 tonnes of rye", "from 3-5 to 7 - 2 days", "2019 \u2013 21, page 4 -", "_5_ a-7 (-3.4) -$2"]
)
def test_dashes_that_are_no_minus_accuse_nobody(turn: int, text: str) -> None:
    page = pymupdf.open().new_page(width=420, height=420)
    page.insert_text((60, 200), text, fontsize=11)
    page.draw_line((40, 196), (53, 196))  # the drawn dash of a list
    page.draw_line((60, 203), (300, 203))  # an underline
    page.set_rotation(turn)
    opened = pymupdf.open("pdf", page.parent.tobytes())[0]
    elements = parse_page(opened, "d", IndexingSettings(visual="none", ocr="never")).elements
    lines = layer_lines(elements, [e.bbox for e in elements])
    assert lines
    assert unlike(opened, lines) == ()


@pytest.mark.slow
def test_a_page_that_shows_nothing_agrees_with_nothing() -> None:
    page = pymupdf.open().new_page(width=420, height=100)
    box = BBox(0.1, 0.4, 0.3, 0.6)
    assert unlike(page, [[LayerWord("47%", box)], [LayerWord("\u2022", box)]]) == (Mismatch("47%", ""),)
    assert unlike(page, []) == ()


@pytest.mark.parametrize(
    ("words", "reading", "places"),
    [
        (["costs", "4", "crowns"], "costs 4 crowns", {}),
        (["costs", "4", "crowns"], "C0STS 4 crowns.", {}),
        (["costs", "4", "crowns"], "costs 9 crowns", {1: "9"}),
        (["costs", "4"], "it costs 4", {}),
        (["costs", "4"], "costs 49", {1: "costs 49"}),
        (["costs", "crowns"], "costs 9 crowns", {-2: "9"}),
        (["of", "2019.", "34", "people"], "of 2019.34 people", {}),
        (["1,236"], "1236", {0: "1236"}),
        (["a" * 500], "a" * 100, {0: "a" * 100}),
    ],
)
def test_readings_are_held_against_words(words: list[str], reading: str, places: dict[int, str]) -> None:
    assert differences(words, reading) == places


def test_look_alikes_are_one_and_digits_are_not() -> None:
    assert folded("Illinois")[0] == folded("1ll1no15")[0]
    assert len({folded(digit)[0] for digit in "0123456789"}) == 10
    assert folded("\ufb01rst \u00bd")[1] == [0, 0, 1, 2, 3, 5, 5]


def test_lines_are_taken_box_by_box(tmp_path: Path) -> None:
    with pymupdf.open(disguised(tmp_path / "d.pdf", DISGUISES[6])) as document:
        elements = parse_page(document[0], "d", IndexingSettings(visual="none")).elements
    whole = layer_lines(elements, [e.bbox for e in elements])
    assert [" ".join(w.text for w in line) for line in whole] == [AROUND[0], SHOWN, AROUND[1]]
    assert SAID not in {" ".join(w.text for w in line) for line in whole}
    assert layer_lines(elements, []) == ()
