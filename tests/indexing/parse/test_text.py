"""Words to text and back: what a reader sees, and spans that always slice the text to the word."""

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.parse import layer_words, parse_page
from indexing.parse.orientation import Frame
from indexing.parse.scan import Word
from indexing.parse.text import clean, running_text, spellings
from indexing.settings import IndexingSettings
from indexing.types import SILENT_KINDS, Element
from samples import DOCUMENTS
from tests.support import documents

FRAME = Frame(pymupdf.open().new_page(width=1000, height=1000), 0)
PLAIN = IndexingSettings(visual="none", ocr="never")


def line(number: int, *texts: str) -> list[Word]:
    """Words of 90 points, side by side, on a line of 10 points at 20 x `number`."""
    return [
        Word(20.0 + 100 * i, 20.0 * number, 110.0 + 100 * i, 20.0 * number + 10, t, number) for i, t in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("drawn", "text"),
    [
        ("o\ufb03ce", "office"), ("\ufb02ow", "flow"), ("co\u00adoper\u00adate", "cooperate"),
        ("e\u0301te\u0301", "été"), ("a\u200bb\ufeffc", "abc"), ("\x00bell\x07", "bell"),
        ("\u202egnip\u202c", "gnip"), ("x²½", "x²½"), ("\ud83d", ""), ("\u00ad", ""),
    ],
)  # fmt: skip
def test_a_word_as_a_reader_sees_it(drawn: str, text: str) -> None:
    assert clean(drawn) == text


@given(st.text(max_size=20))
def test_cleaning_is_done_once_and_leaves_nothing_unprintable(token: str) -> None:
    cleaned = clean(token)
    assert clean(cleaned) == cleaned
    cleaned.encode("utf-8")
    assert not {"\0", "\u00ad"} & {*cleaned}


@pytest.mark.parametrize(
    ("first", "second", "elsewhere", "joined"),
    [
        ("inter-", "national", "", "international"),
        ("inter\u2010", "national", "", "international"),
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
def test_a_broken_word_is_joined_and_keeps_both_boxes(first: str, second: str, elsewhere: str, joined: str) -> None:
    rows = [*line(1, "an", first), *line(2, second, "affair")]
    text, words = running_text(rows, FRAME, spellings([*rows, *line(3, *elsewhere.split())]))
    assert text == f"an {joined} affair"
    assert words.lines.tolist() == [0, 0, 1, 1]
    sliced = [text[a:b] for a, b in words.spans.tolist()]
    assert (sliced[1], sliced[2]) in ((first, second), (first[:-1], second))
    start = text.index(joined)
    assert [round(b.y0, 3) for b in words.line_boxes(start, start + len(joined))] == [0.02, 0.04]


TOKENS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8) | st.sampled_from(
    ["inter-", "four-in-", "ten", "a-", "-", "\ufb01n", "\u00ad", " ", "\t", "été", "x\u00ad", "ab\u2010"]
)


@given(st.lists(st.lists(TOKENS, min_size=1, max_size=4), max_size=6))
def test_spans_slice_the_text_to_the_cleaned_words(rows: list[list[str]]) -> None:
    text, places = running_text([w for n, tokens in enumerate(rows, 1) for w in line(n, *tokens)], FRAME)
    sliced = [text[a:b] for a, b in places.spans.tolist()]
    expected = [t for tokens in rows for token in tokens if (t := clean(token))]
    assert len(sliced) == len(expected) == len(places)
    for piece, token in zip(sliced, expected, strict=True):
        assert piece == token or (piece == token[:-1] and token[-1] in "-\u2010")
    assert [b for _, b in places.spans.tolist()] == sorted(b for _, b in places.spans.tolist())


def test_a_word_off_the_page_is_text_without_a_place_and_one_of_nothing_is_none() -> None:
    rows = [*line(1, "in"), Word(1200, 20, 1300, 30, "outside", 1), Word(1, 1, 2, 2, "\u00ad", 2)]
    text, words = running_text(rows, FRAME)
    assert text == "in outside"
    assert [text[a:b] for a, b in words.spans.tolist()] == ["in"]


# ---- raised signs --------------------------------------------------------------------------------------------------

SIZE, SMALL, RISE = 11.0, 7.0, 4.0


def page_of(*lines: str, mode: int = 0, rise: float = RISE) -> pymupdf.Page:
    """A page of lines in which "^{31}" is set small, and above the line."""
    page = pymupdf.open().new_page(width=420, height=300)
    for row, text in enumerate(lines):
        x, y = 40.0, 60 + 20.0 * row
        for n, piece in enumerate(text.replace("}", "^{").split("^{")):
            size, lift = (SMALL, rise) if n % 2 else (SIZE, 0.0)
            page.insert_text((x, y - lift), piece, fontsize=size, render_mode=mode)
            x += pymupdf.get_text_length(piece, fontsize=size)
    return documents.reopened(page)


def said(page: pymupdf.Page) -> str:
    return " ".join(word.text for word in layer_words(page))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("vectors of 2^{31} or more", "vectors of 2³¹ or more"),
        ("a rate of 10^{-4}, 10^{4}", "a rate of 10⁻⁴, 10⁴"), ("the libraries.^{2} They", "the libraries.² They"),
        ("^{1}See the annex", "¹See the annex"), ("of Holm^{1,2} and Berg^{3}", "of Holm¹,² and Berg³"),
        ("a share of 74^{cd} there", "a share of 74ᶜᵈ there"), ("the 16^{th} of May", "the 16th of May"),
        ("the word^{cd} there", "the wordcd there"), ("the Plan^{(1)} there", "the Plan(1) there"),
        ("231 or more", "231 or more"),
    ],
)  # fmt: skip
def test_raised_signs_are_spelled_raised(text: str, words: str) -> None:
    assert said(page_of("The text begins here, as it does.", text)).endswith(words)


# ---- real pages ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def elements() -> tuple[Element, ...]:
    """Of the sample report: a heading above two columns of three short sections, a chart, a footnote."""
    with pymupdf.open(DOCUMENTS / "sallow-bay-annual-report.pdf") as report:
        return parse_page(report[3], "report", PLAIN).elements


def test_the_left_column_is_read_before_the_right_one(elements: tuple[Element, ...]) -> None:
    read = [e for e in elements if e.kind in ("heading", "text")]
    assert [" ".join(e.text.split()[:2]) for e in read if e.bbox.x0 < 0.5] == [
        "Routes and", "Five routes", "Northshore", "A boat", "Harbour Loop", "The Loop",
    ]  # fmt: skip
    assert [" ".join(e.text.split()[:2]) for e in read[6:]] == [
        "Gull Island", "Gull Island", "Tern Sound", "A ninth", "Night Line", "The Night",
    ]  # fmt: skip


def test_what_stands_on_every_page_is_told_apart_and_not_searched(elements: tuple[Element, ...]) -> None:
    margins = {kind: [e.text for e in elements if e.kind == kind] for kind in ("header", "footer")}
    assert margins == {
        "header": ["Sallow Bay Ferry Cooperative", "Routes and passengers"],
        "footer": ["Annual Report 2024", "4"],
    }
    assert {"header", "footer"} <= {*SILENT_KINDS}
