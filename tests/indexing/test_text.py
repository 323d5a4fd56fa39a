"""Words to text and back: what a reader sees, and spans that always slice the text to the word."""

from __future__ import annotations

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.ocr import Word
from indexing.text import TextBuilder, clean, lines_of, running_text
from indexing.upright import Frame


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


def test_a_joined_word_keeps_both_boxes() -> None:
    text, words = running_text([*line(1, "an", "inter-"), *line(2, "national", "affair")], FRAME)
    start = text.index("international")
    boxes = words.line_boxes(start, start + len("international"))
    assert [round(b.y0, 3) for b in boxes] == [0.02, 0.04]
    assert [text[a:b] for a, b in words.spans.tolist()] == ["an", "inter", "national", "affair"]


TOKENS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8) | st.sampled_from(
    ["inter-", "a-", "-", "\ufb01n", "\u00ad", " ", "\t", "été", "x\u00ad", "ab\u2010"]
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
