"""Words that a page has struck out say so, however they are; lines beside words strike nothing out."""

from collections.abc import Callable

import pymupdf
import pytest

from indexing.parse.layout import layer_words, parse_page
from indexing.parse.text_layer import with_struck_marked
from indexing.settings import IndexingSettings
from tests.support import documents

LINE = "The fare is nine crowns, not ten."
SIZE, BASE = 12.0, 100.0


def set_page() -> pymupdf.Page:
    page = pymupdf.open().new_page(width=420, height=595)
    page.insert_text((40, BASE), LINE, fontsize=SIZE)
    return page


def edges(page: pymupdf.Page, first: str, last: str) -> tuple[float, float]:
    words = {word.text: word for word in layer_words(page)}
    return words[first].x0, words[last].x1


def read(page: pymupdf.Page) -> str:
    page = documents.reopened(page)
    page.set_rotation(0)
    return " ".join(word.text for word in with_struck_marked(page, layer_words(page)))


def drawn(page: pymupdf.Page, *heights: float, beyond: float = 0.0, short: float = 0.0) -> None:
    x0, x1 = edges(page, "nine", "crowns,")
    for height in heights:
        page.draw_line((x0 - beyond, BASE - height), (x1 + beyond - short, BASE - height), width=0.6)


def filled(page: pymupdf.Page) -> None:
    x0, x1 = edges(page, "nine", "crowns,")
    page.draw_rect((x0, BASE - 4, x1, BASE - 3.2), color=None, fill=(1, 0, 0))


def annotated(page: pymupdf.Page) -> None:
    x0, x1 = edges(page, "nine", "crowns,")
    page.add_strikeout_annot(pymupdf.Rect(x0, BASE - SIZE, x1, BASE + 2).quad)


STRIKES: dict[str, Callable[[pymupdf.Page], None]] = {
    "a line": lambda page: drawn(page, 3.5),
    "two lines": lambda page: drawn(page, 3, 5),
    "a line that leaves out the comma": lambda page: drawn(page, 3.5, short=3),
    "a flat rectangle": filled,
    "an annotation": annotated,
}


@pytest.mark.parametrize("turn", [0, 90])
@pytest.mark.parametrize("strike", STRIKES)
def test_what_is_struck_out_says_so(strike: str, turn: int) -> None:
    page = set_page()
    STRIKES[strike](page)
    page.set_rotation(turn)
    assert read(page) == "The fare is [struck out: nine crowns,] not ten."


HONEST: dict[str, Callable[[pymupdf.Page], object]] = {
    "underlined": lambda page: drawn(page, -1.5),
    "a line above": lambda page: drawn(page, 10),
    "a line of a chart": lambda page: drawn(page, 3.5, beyond=20),
    "a frame": lambda page: page.draw_rect((36, BASE - 14, 300, BASE + 5)),
    "a mark of a scale": lambda page: page.draw_line((30, BASE - 4), (42, BASE - 4)),
    "a fraction": lambda page: (
        page.insert_text((200, 200), "1", fontsize=8), page.draw_line((199, 203), (206, 203), width=0.5),
        page.insert_text((200, 212), "6", fontsize=8)),
    "a highlight": lambda page: page.add_highlight_annot(pymupdf.Rect(40, 88, 200, 102).quad),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.gate
def test_an_element_says_it_and_keeps_the_places_of_its_words() -> None:
    page = set_page()
    drawn(page, 3.5)
    found = parse_page(documents.reopened(page), "d", IndexingSettings(ocr_pixels=1024, visual="none"))
    (element,) = found.elements
    assert element.text == "The fare is [struck out: nine crowns,] not ten."
    assert len(element.words) == 7
