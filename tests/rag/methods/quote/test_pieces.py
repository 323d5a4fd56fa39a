"""The pieces of an element that can be quoted: sentences, rows, and the phrases of a picture."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing import Element, Words
from rag.methods.quote.pieces import pieces
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
