"""Words to text and back: what a reader sees, and spans that always slice the text to the word."""

from __future__ import annotations

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.parse.layout import parse_page
from indexing.parse.orientation import Frame
from indexing.parse.scan.ocr import Word
from indexing.parse.text import TextBuilder, clean, lines_of, running_text, spellings
from indexing.settings import IndexingSettings
from indexing.types import Element
from tests.support import documents


def frame() -> Frame:
    """A page of 1000 x 1000 points."""
    document = pymupdf.open()
    return Frame(document.new_page(width=1000, height=1000), 0, document)


FRAME = frame()


def line(number: int, *texts: str) -> list[Word]:
    """Words of 90 points, side by side, on a line of 10 points at 20 x `number`."""
    return [
        Word(20.0 + 100 * i, 20.0 * number, 110.0 + 100 * i, 20.0 * number + 10, t, number) for i, t in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("seen", "text"),
    [
        ("o\ufb03ce", "office"),
        ("\ufb02ow", "flow"),
        ("co\u00adoper\u00adate", "cooperate"),
        ("e\u0301te\u0301", "été"),
        ("a\u200bb\ufeffc", "abc"),
        ("\x00bell\x07", "bell"),
        ("\u202egnip\u202c", "gnip"),
        ("x²", "x²"),
        ("½", "½"),
        ("\ud83d", ""),
        ("\u00ad", ""),
    ],
)
def test_a_word_as_a_reader_sees_it(seen: str, text: str) -> None:
    assert clean(seen) == text


@given(st.text(max_size=20))
def test_cleaning_is_done_once_and_leaves_nothing_unprintable(token: str) -> None:
    cleaned = clean(token)
    assert clean(cleaned) == cleaned
    cleaned.encode("utf-8")
    assert "\0" not in cleaned
    assert "\u00ad" not in cleaned


def test_lines_are_joined_by_spaces() -> None:
    text, words = running_text([*line(1, "The", "mill"), *line(2, "grinds", "rye.")], FRAME)
    assert text == "The mill grinds rye."
    assert words.lines.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("inter-", "national", "international"),
        ("inter\u2010", "national", "international"),
        ("Franco-", "Prussian", "Franco- Prussian"),
        ("1990-", "1995", "1990- 1995"),
        ("UN-", "led", "UN- led"),
        ("-", "dash", "- dash"),
    ],
)
def test_a_word_hyphenated_at_a_line_end_is_joined(first: str, second: str, joined: str) -> None:
    text, words = running_text([*line(1, "an", first), *line(2, second, "affair")], FRAME)
    assert text == f"an {joined} affair"
    assert len(words) == 4


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        (["ARE", "DIS-"], ["CLAIMED", "HERE."], "ARE DISCLAIMED HERE."),
        (["the", "NASA-"], ["ESA", "mission"], "the NASA- ESA mission"),
        (["SEE", "NASA-"], ["ESA", "missions"], "SEE NASA- ESA missions"),
        (["PART", "7-"], ["B", "FOLLOWS"], "PART 7- B FOLLOWS"),
    ],
)
def test_among_capitals_a_word_in_capitals_is_joined(first: list[str], second: list[str], text: str) -> None:
    assert running_text([*line(1, *first), *line(2, *second)], FRAME)[0] == text


def test_a_joined_word_keeps_both_boxes() -> None:
    text, words = running_text([*line(1, "an", "inter-"), *line(2, "national", "affair")], FRAME)
    start = text.index("international")
    boxes = words.line_boxes(start, start + len("international"))
    assert [round(b.y0, 3) for b in boxes] == [0.02, 0.04]
    assert [text[a:b] for a, b in words.spans.tolist()] == ["an", "inter", "national", "affair"]


@pytest.mark.parametrize(
    ("first", "second", "elsewhere", "joined"),
    [
        ("four-in-", "ten", "", "four-in-ten"),
        ("four\u2010in\u2010", "ten", "", "four\u2010in\u2010ten"),
        ("(state-of-the-", "art),", "", "(state-of-the-art),"),
        ("well-estab-", "lished", "", "well-estab-lished"),  # nothing says that it is one
        ("well-estab-", "lished", "established", "well-established"),
        ("well-estab-", "lished,", "Well-Established.", "well-established,"),
        ("four-in-", "ten", "inten four-in-ten", "four-in-ten"),
        ("long-", "term", "", "longterm"),
        ("long-", "term,", "“Long-term”", "long-term,"),
        ("(long\u2010", "term", "long-term", "(long\u2010term"),
        ("re-", "sign", "resign re-sign", "resign"),  # the page spells it both ways
        ("four--in-", "ternal", "", "four--internal"),  # two hyphens are a dash
        ("-four-", "teen", "", "-fourteen"),
        ("\u24d0-", "\u24d1", "", "\u24d0\u24d1"),  # lower case, and no letters
    ],
)
def test_a_compound_keeps_the_hyphen_that_it_breaks_at(first: str, second: str, elsewhere: str, joined: str) -> None:
    rows = [*line(1, "an", first), *line(2, second, "affair")]
    spelled = spellings([*rows, *line(3, *elsewhere.split())])
    text, words = running_text(rows, FRAME, spelled)
    assert text == f"an {joined} affair"
    sliced = [text[a:b] for a, b in words.spans.tolist()]
    assert "".join(sliced[1:3]) == joined
    assert (sliced[1], sliced[2]) in ((first, second), (first[:-1], second))
    start = text.index(joined)
    assert [round(b.y0, 3) for b in words.line_boxes(start, start + len(joined))] == [0.02, 0.04]


def parsed(*rows: str) -> list[Element]:
    """The elements of a real page with these lines, set one under the other as a paragraph; empty ones part two."""
    page = pymupdf.open().new_page(width=595, height=842)
    for number, row in enumerate(rows):
        page.insert_text((72, 120 + 14 * number), row, fontsize=11)
    return [*parse_page(documents.reopened(page), "d", IndexingSettings(visual="none", ocr="never")).elements]


def test_compounds_of_a_page_are_read_as_they_are_spelled() -> None:
    elements = parsed(
        "The harbour office asked every passenger of the night bus, and four-in-",
        "ten said that the long-term plan of the company was not the reason. An inter-",
        "national line would cost more, they wrote, than any of the town's long-",
        "term loans, and nobody on the well-known quay would pay for it at all.",
    )
    text = " ".join(e.text for e in elements if e.kind == "text")
    assert "and four-in-ten said" in text
    assert "An international line" in text
    assert "town's long-term loans" in text
    told = next(e for e in elements if "four-in-ten" in e.text)
    start = told.text.index("four-in-ten")
    upper, lower = told.words.line_boxes(start, start + len("four-in-ten"))
    assert upper.y1 < lower.y1
    assert upper.x0 > lower.x1
    for start, end in told.words.spans.tolist():
        assert told.text[start:end].strip() == told.text[start:end] != ""


TOKENS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8) | st.sampled_from(
    ["inter-", "four-in-", "ten", "a-", "-", "\ufb01n", "\u00ad", " ", "\t", "été", "x\u00ad", "ab\u2010"]
)


@given(st.lists(st.lists(TOKENS, min_size=1, max_size=4), max_size=6))
def test_spans_slice_the_text_to_the_cleaned_words(rows: list[list[str]]) -> None:
    words = [w for n, tokens in enumerate(rows, 1) for w in line(n, *tokens)]
    text, places = running_text(words, FRAME)
    shown = [clean(t) for tokens in rows for t in tokens]
    sliced = [text[a:b] for a, b in places.spans.tolist()]
    expected = [t for t in shown if t]
    assert len(sliced) == len(expected) == len(places)
    for piece, token in zip(sliced, expected, strict=True):
        assert piece in (token, token[:-1])
        assert piece == token or token[-1] in "-\u2010"
    assert [b for _, b in places.spans.tolist()] == sorted(b for _, b in places.spans.tolist())


def test_a_word_off_the_page_is_text_without_a_place() -> None:
    text, words = running_text([*line(1, "in"), Word(1200, 20, 1300, 30, "outside", 1)], FRAME)
    assert text == "in outside"
    assert [text[a:b] for a, b in words.spans.tolist()] == ["in"]


def test_pieces_at_one_height_are_one_line_and_columns_are_not() -> None:
    pieces = [Word(20, 20, 60, 30, "Figure", 1), Word(70, 21, 90, 31, "3", 2), Word(20, 40, 60, 50, "below", 3)]
    assert [[w.text for w in row] for row in lines_of(pieces)] == [["Figure", "3"], ["below"]]
    back = [Word(500, 20, 560, 30, "right", 1), Word(20, 20, 60, 30, "left", 2)]
    assert len(lines_of(back)) == 2


def test_nothing_is_an_empty_text() -> None:
    text, words = running_text([], FRAME)
    assert text == ""
    assert len(words) == 0
    builder = TextBuilder(FRAME)
    builder.add_line([Word(1, 1, 2, 2, "\u00ad", 0)])
    assert builder.length == 0
