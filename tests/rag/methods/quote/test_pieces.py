"""The pieces of an element that can be quoted: sentences, rows, and the phrases of a picture."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing import BBox, Cell, Element, Words
from rag.methods.quote.pieces import after_bullet, named_labels, pieces
from tests.support import fakes

WIDTH, HEIGHT = 0.01, 0.02
"""The width of a letter and the height of a line in these pictures, as shares of the page."""


def drawn(*lines: tuple[float, float, str]) -> Element:
    """A picture with lines of words, each (left, top, text)."""
    text, spans, boxes, numbers = "", [], [], []
    for number, (left, top, line) in enumerate(lines):
        at = left
        for word in line.split():
            text += " " if text else ""
            spans.append((len(text), len(text) + len(word)))
            boxes.append((at, top, at + WIDTH * len(word), top + HEIGHT))
            numbers.append(number)
            text += word
            at += WIDTH * (len(word) + 1)
    words = Words(np.array(spans, np.int32), np.array(boxes, np.float32), np.array(numbers, np.int32))
    return replace(fakes.element(text, kind="picture"), words=words)


def said(element: Element) -> list[str]:
    return [element.text[a:b] for a, b in pieces(element)]


def test_cries_and_labels_are_not_quoted() -> None:
    assert pieces(fakes.element("WARNING.")) == []
    assert pieces(fakes.element("100 90 Departures on time 88 91 94", kind="picture")) == []


def test_a_long_picture_is_cut_into_lines_that_cover_it() -> None:
    words = [f"word{n:02d}" for n in range(60)]
    text = " ".join(words)
    spans = np.array([(8 * n - n, 8 * n - n + 6) for n in range(60)], np.int32)
    lines = np.arange(60, dtype=np.int32) // 6
    boxes = np.tile(np.array([0.1, 0.1, 0.2, 0.2], np.float32), (60, 1))
    element = replace(fakes.element(text, kind="picture"), words=Words(spans, boxes, lines))
    found = pieces(element)
    assert len(found) > 2
    assert {w for a, b in found for w in text[a:b].split()} == set(words)


def test_ticks_along_an_axis_are_no_phrase() -> None:
    """Twelve months under a chart are twelve labels, however many words they are together."""
    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
    spans = np.array([(4 * n, 4 * n + 3) for n in range(12)], np.int32)
    left = 0.1 + 0.06 * np.arange(12, dtype=np.float32)
    boxes = np.stack([left, np.full(12, 0.5), left + 0.02, np.full(12, 0.51)], axis=1).astype(np.float32)
    apart = Words(spans, boxes, np.zeros(12, np.int32))
    boxes = boxes.copy()
    boxes[:, 0] = 0.1 + 0.024 * np.arange(12)
    boxes[:, 2] = boxes[:, 0] + 0.02
    together = replace(apart, boxes=boxes)
    chart = fakes.element(months, kind="picture")
    assert pieces(replace(chart, words=apart)) == []
    assert pieces(replace(chart, words=together)) == [(0, len(months))]


PHRASES = st.sampled_from(["Rye grows.", "1.5 m.", "Dr. X", "\n", "| 12 |", "  ", "e.g.", "é"])
KINDS = st.sampled_from(["text", "table", "list", "caption", "picture", "heading"])


@given(st.lists(PHRASES, max_size=12).map(" ".join), KINDS)
def test_pieces_are_verbatim_in_order_and_disjoint(text: str, kind: str) -> None:
    element = fakes.element(text.strip(), kind=kind)  # type: ignore[arg-type]
    found = pieces(element)
    assert all(0 <= a < b <= len(element.text) for a, b in found)
    assert all(x[1] <= y[0] for x, y in itertools.pairwise(found))


def test_a_big_figure_is_quoted_with_what_it_counts() -> None:
    """Three figures side by side, each over its label: the label of one is never read with the figure of another."""
    picture = drawn(
        (0.45, 0.80, "OVER"), (0.45, 0.82, "9,000"), (0.43, 0.84, "RIDERS"),
        (0.75, 0.80, "59"), (0.68, 0.82, "YEARS AT SEA"),
        (0.15, 0.80, "350"), (0.10, 0.82, "FERRIES IN ALL"),
    )  # fmt: skip
    assert said(picture) == ["OVER 9,000 RIDERS", "59 YEARS AT SEA", "350 FERRIES IN ALL"]


def test_the_lines_of_a_short_stack_are_one_piece_and_a_gap_parts_them() -> None:
    rows = [(0.1, 0.10, "First boat - Anna"), (0.1, 0.12, "Second boat - Bella"), (0.1, 0.14, "Cargo - rye")]
    after = [(0.1, 0.24, "First boat - Cecilie"), (0.1, 0.26, "Second boat - Dora")]
    assert said(drawn(*rows, *after)) == [
        "First boat - Anna Second boat - Bella Cargo - rye",
        "First boat - Cecilie Second boat - Dora",
    ]


@pytest.mark.parametrize("text", ["1912 1913 boats sailed", "9 boats", "boats 9.5m x TG40 y", "12"])
def test_labels_with_figures_are_no_quote(text: str) -> None:
    assert said(drawn((0.1, 0.1, text))) == []


@pytest.mark.parametrize(
    "text",
    [
        "Care of the boats . . . . . . . . 14",
        "Care of the boats in winter and in summer ................",
    ],
)
def test_lines_of_contents_are_no_quote_unless_they_are_meant(text: str) -> None:
    assert pieces(fakes.element(text)) == []
    assert pieces(fakes.element(text), contents=True)


@pytest.mark.parametrize(
    "text",
    [
        "The boats waited ... and then they left at noon.",
        "In 1912 Anna sailed, in 1913 Bella sailed, in 1914 Cecilie sailed home.",
        "Received 1 July 2015; accepted 7 July 2015 Available online 27 July 2015",
        "North Bay: 4 through 11 Greater Holm: 14 through 22 East Holm: 23 through 25",
    ],
)
def test_dots_and_years_alone_make_no_contents(text: str) -> None:
    assert said(fakes.element(text)) == [text]


def test_a_table_of_contents_has_no_rows_to_quote_and_one_of_values_keeps_them() -> None:
    contents = "Contents of this book\nBoats in winter ........ 3\nCrews in summer ........ 9"
    values = "Boats in winter 3 Crews 9 Ports 12\nBoats in summer 4 Crews 8 Ports 11"
    assert pieces(fakes.element(contents, kind="table")) == []
    assert len(pieces(fakes.element(values, kind="table"))) == 2
    for accounts in (
        "Net income .......... 123 | 456\nSales .......... 1,234 | 1,456",
        "Volatility .......... 26 - 32%\nRate .......... 4 - 5%",
        "Life of patents .......... 6\nLife of contracts .......... 10\nLife of names .......... 9",
    ):
        assert len(pieces(fakes.element(accounts, kind="table"))) == accounts.count("\n") + 1


def test_the_number_of_a_note_is_no_part_of_what_it_says() -> None:
    assert said(fakes.element("³ The boats sail. ⁴The crews do, too. ²³⁵U is heavy.")) == [
        "The boats sail.",
        "The crews do, too.",
        "²³⁵U is heavy.",
    ]


NUMBERED = [
    "1 | Boats | 6",
    "1.1 | Boats in winter | 6",
    "1.2 Crews 12",
    "Notes 13",
    "2 | Quays | 14",
    "2.1 | Ropes | 19",
]


@pytest.mark.parametrize(
    "rows",
    [
        ["1 | Boats | 6", "2 | Crews | 12", "3 | Quays | 14", "4 | Ropes | 19", "5 | Lamps | 20"],
        ["1.1 | Boats | 6", "1.2 | Crews | 12", "1.3 | Quays | 9", "1.4 | Ropes | 19", "1.5 | Lamps | 20"],
        ["1.1 | Boats | 1906", "1.2 | Crews | 1912", "1.3 | Quays | 1914", "1.4 | Ropes | 1919", "1.5 | Lamps | 1920"],
        ["1.5% | Boats | 6", "2.5% | Crews | 12", "3.5% | Quays | 14", "4.5% | Ropes | 19", "5.5% | Lamps | 20"],
    ],
    ids=["counted rows", "values", "years", "shares"],
)
def test_a_table_of_values_keeps_its_rows(rows: list[str]) -> None:
    assert len(pieces(fakes.element("\n".join(rows), kind="table"))) == len(rows)


def test_a_table_whose_head_leads_to_a_page_is_contents() -> None:
    text = "Boats ........ 3\nCrews | 9\nPorts | 12"
    head = Cell(0, 0, 1, 1, 0, 16, BBox(0.1, 0.1, 0.9, 0.2), header=True)
    rest = Cell(1, 0, 1, 1, 17, 26, BBox(0.1, 0.2, 0.9, 0.3), header=False)
    table = replace(fakes.element(text, kind="table"), cells=(head, rest))
    assert pieces(table) == []
    assert len(pieces(replace(table, text=text.replace("....", "    ")))) == 2


@pytest.mark.parametrize(
    ("text", "begins"),
    [("> Close the gate.", "Close"), ("> > Close the gate.", "Close"), ("> 5 mm of rain", ">"), (">Close", ">")],
)
def test_an_arrow_before_an_item_is_no_part_of_it(text: str, begins: str) -> None:
    assert text[after_bullet(text, 0, len(text)) :].startswith(begins)


def test_a_short_label_of_a_picture_is_a_piece_where_it_has_a_name_that_is_asked_for() -> None:
    picture = drawn((0.1, 0.1, "Haya"), (0.1, 0.12, "Deals"), (0.5, 0.1, "Pranav"), (0.1, 0.5, "Haya 3 FE"))
    assert [picture.text[a:b] for a, b in named_labels(picture, ("haya", "Ada"))] == ["Haya Deals"]
    assert named_labels(picture, ("Ada",)) == named_labels(picture, ()) == []
    assert named_labels(fakes.element("Haya Deals"), ("Haya",)) == []
