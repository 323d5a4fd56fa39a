"""What a page sets above the line is spelled so in the words of its text layer, its elements and its tables."""

from __future__ import annotations

import pymupdf
import pytest

from indexing.parse.layout import layer_words, parse_page
from indexing.settings import IndexingSettings
from indexing.types import BBox
from tests.support import documents

SIZE, SMALL, RISE = 11.0, 7.0, 4.0


def page_of(*lines: str, mode: int = 0) -> pymupdf.Page:
    """A page of lines in which "^{31}" is set above the line."""
    page = pymupdf.open().new_page(width=420, height=300)
    for row, line in enumerate(lines):
        x, y = 40.0, 60 + 20.0 * row
        for n, piece in enumerate(line.replace("}", "^{").split("^{")):
            size, lift = (SMALL, RISE) if n % 2 else (SIZE, 0.0)
            page.insert_text((x, y - lift), piece, fontsize=size, render_mode=mode)
            x += pymupdf.get_text_length(piece, fontsize=size)
    return documents.reopened(page)


def said(page: pymupdf.Page) -> list[str]:
    return [word.text for word in layer_words(page)]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("vectors of 2^{31} or more", "vectors of 2³¹ or more"),
        ("a rate of 10^{-4}, 10^{4}", "a rate of 10⁻⁴, 10⁴"),
        ("the libraries.^{2} They", "the libraries.² They"),
        ("of Holm^{1,2} and Berg^{3}", "of Holm¹,² and Berg³"),
        ("a share of 74^{cd} there", "a share of 74ᶜᵈ there"),
        ("the 16^{th} of May", "the 16th of May"),
        ("the word^{cd} there", "the wordcd there"),
        ("the Plan^{(1)} there", "the Plan(1) there"),
        ("2^{31}", "2³¹"),
        ("231 or more", "231 or more"),
    ],
)
def test_raised_signs_are_spelled_raised(line: str, words: str) -> None:
    page = page_of("The text begins here, as it does.", line)
    assert said(page)[-len(words.split()) :] == words.split()


def test_the_number_of_a_note_is_raised_at_the_begin_of_its_line() -> None:
    assert said(page_of("^{1}See the annex of the report."))[0] == "¹See"


def test_of_lines_that_read_alike_each_has_its_own() -> None:
    page = page_of("102", "10^{2}", "102", "10^{2}")
    assert said(page) == ["102", "10²", "102", "10²"]


def test_signs_below_the_line_and_small_ones_on_it_stay() -> None:
    page = pymupdf.open().new_page(width=420, height=300)
    page.insert_text((40, 60), "CO", fontsize=SIZE)
    page.insert_text((40 + pymupdf.get_text_length("CO", fontsize=SIZE), 62), "2", fontsize=SMALL)
    page.insert_text((40, 90), "CO", fontsize=SIZE)
    page.insert_text((40 + pymupdf.get_text_length("CO", fontsize=SIZE), 90), "2", fontsize=SMALL)
    assert said(page) == ["CO2", "CO2"]


def test_the_layer_over_a_scan_has_no_raised_signs() -> None:
    """Recognised words have the sizes of their boxes, which say nothing."""
    assert said(page_of("for 5^{0} crowns", mode=3)) == ["for", "50", "crowns"]


def test_an_element_says_it_and_boxes_the_whole_word() -> None:
    page = page_of("Only such builds support long vectors,", "those with 2^{31} or more elements.")
    whole = [word for word in layer_words(page) if word.text == "2³¹"]
    (element,) = parse_page(page, "d1", IndexingSettings()).elements
    assert "those with 2³¹ or more elements." in element.text
    at = element.text.index("2³¹")
    (box,) = element.words.line_boxes(at, at + 3)
    (word,) = whole
    expected = BBox.from_page(word.x0, word.y0, word.x1, word.y1, page.rect.width, page.rect.height)
    assert expected is not None
    assert box.as_tuple() == pytest.approx(expected.as_tuple(), abs=1e-5)
