"""The pieces of an element that can be quoted: sentences, rows, and the phrases of a picture."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing import Element, Words
from indexing.types import Kind
from rag.methods.quote.pieces import SUBJECT_WORDS, named_labels, pieces, with_subject
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


@pytest.mark.parametrize(
    ("text", "kind", "quoted"),
    [
        ("The mill was built in 1887. It grinds rye. Dr. Holm owns it.", "text",
         ["The mill was built in 1887.", "It grinds rye.", "Dr. Holm owns it."]),
        ("Town | Seats\nMerrow | 12\n- | -\nQuay | 9", "table", ["Town | Seats", "Merrow | 12", "Quay | 9"]),
        ("Nine barrels. Cider press.", "formula", ["Nine barrels. Cider press."]),
        ("Boats that leave on time", "heading", ["Boats that leave on time"]),
        ("Fatalities:150", "text", ["Fatalities:150"]),
        ("Seats 40", "text", ["Seats 40"]),
        ("WARNING.", "text", []),
        ("\u2022 Fully 87% of them sail.", "list", ["Fully 87% of them sail."]),
        ("\u2013 \u2022 Fully 87% of them sail.", "list", ["Fully 87% of them sail."]),
        ("\uf0a7 Fully 87% of them sail.", "list", ["Fully 87% of them sail."]),
        ("- - -", "list", ["-"]),
        ("-5% less than last year.", "list", ["-5% less than last year."]),
        ("> > Close the gate.", "list", ["Close the gate."]),
        ("> 5 mm of rain", "list", ["> 5 mm of rain"]),
        ("³ The boats sail. ⁴The crews do, too. ²³⁵U is heavy.", "text",
         ["The boats sail.", "The crews do, too.", "²³⁵U is heavy."]),
        ("The boats waited ... and then they left at noon.", "text",
         ["The boats waited ... and then they left at noon."]),
        ("Boats ........ 3\nCrews | 9\nPorts | 12", "table", ["Crews | 9", "Ports | 12"]),
        ("100 90 Departures on time 88 91 94", "picture", []),
        ("1912 1913 boats sailed", "picture", []),
        ("9 boats", "picture", []),
    ],
)  # fmt: skip
def test_what_can_be_quoted_of_an_element(text: str, kind: Kind, quoted: list[str]) -> None:
    assert said(fakes.element(text, kind=kind)) == quoted


def test_ticks_along_an_axis_are_no_phrase() -> None:
    """Twelve months under a chart are twelve labels, however many words they are together."""
    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
    assert said(drawn(*((0.1 + 0.07 * n, 0.5, month) for n, month in enumerate(months.split())))) == []
    assert said(drawn((0.1, 0.5, months))) == [months]


MILL = "The old mill stands at the ferry."


@pytest.mark.parametrize(
    ("before", "second", "together"),
    [
        (MILL, "It grinds rye.", True),
        (MILL, "This is why boats wait.", True),
        (MILL, "This mill grinds rye.", False),
        (MILL, "It is important to wait.", False),
        (MILL, "The keeper says it grinds rye.", False),
        ("Rye " * (SUBJECT_WORDS + 1), "It grinds.", False),
        ("of rye that waits.", "It grinds.", False),
    ],
)
def test_what_begins_with_a_pronoun_comes_with_the_sentence_before(before: str, second: str, together: bool) -> None:
    start = len(before) + 1
    assert with_subject(f"{before} {second}", (0, len(before)), start) == (0 if together else start)
    assert with_subject(second, None, 0) == 0


def test_a_short_label_of_a_picture_is_a_piece_where_it_has_a_name_that_is_asked_for() -> None:
    picture = drawn((0.1, 0.1, "Haya"), (0.1, 0.12, "Deals"), (0.5, 0.1, "Pranav"), (0.1, 0.5, "Haya 3 FE"))
    assert [picture.text[a:b] for a, b in named_labels(picture, ("haya", "Ada"))] == ["Haya Deals"]
    assert named_labels(picture, ("Ada",)) == named_labels(picture, ()) == []
    assert named_labels(fakes.element("Haya Deals"), ("Haya",)) == []
