"""Boxes: lines and cells that hold the proof, headers as context, none without proof, over columns and pages."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing import BBox, Cell, Element, Words
from rag.attribution.localize.words import CONFIDENT, boxes_of, localize
from rag.attribution.rules import compare
from tests.support import fakes

TEXT = "The mill was built in 1887 by Anna Holm. It grinds rye for the whole valley. Its wheel turns from March."


def lined(text: str, per_line: int = 6, doc_page: int = 1, source: str = "layer") -> Element:
    """A paragraph of several lines."""
    made = fakes.element(text, page=doc_page)
    lines = np.arange(len(made.words), dtype=np.int32) // per_line
    boxes = made.words.boxes.copy()
    boxes[:, 1], boxes[:, 3] = 0.1 + 0.02 * lines, 0.115 + 0.02 * lines
    return replace(made, words=Words(made.words.spans, boxes, lines), source=source)  # type: ignore[arg-type]


def table(rows: list[list[str]], caption: str = "") -> Element:
    """A table whose first row is its head, a cell a tenth of the page high."""
    text, cells = "", []
    for r, row in enumerate(rows):
        text += "\n" if r else ""
        for c, value in enumerate(row):
            text += " | " if c else ""
            box = BBox(0.1 + 0.2 * c, 0.1 + 0.05 * r, 0.28 + 0.2 * c, 0.14 + 0.05 * r)
            cells.append(Cell(r, c, 1, 1, len(text), len(text) + len(value), box, r == 0))
            text += value
    return replace(fakes.element(text, kind="table"), cells=tuple(cells), caption=caption)


def inside(boxes: tuple[BBox, ...], element: Element, words: str) -> bool:
    """Whether the boxes hold all of some words of the element."""
    start = element.text.index(words)
    gold = boxes_of(element, start, start + len(words))
    return all(any(g.overlap(b) > 0.99 * g.area for b in boxes) for g in gold)


def test_the_lines_that_say_it_and_no_others() -> None:
    element = lined(TEXT)
    found = localize(
        "Anna Holm built the mill in 1887.", element, compare("The mill was built in 1887.", [element]).proofs[0][1]
    )
    assert inside(found.boxes, element, "1887")
    assert not inside(found.boxes, element, "wheel")
    assert len(found.boxes) < len(set(element.words.lines.tolist()))


def test_what_stands_between_two_proofs_is_boxed_with_them() -> None:
    element = lined("Rye is ground here. Nobody knows since when. Barley is ground in May.", per_line=4)
    rye, barley = (0, 19), (45, 70)
    assert inside(localize("Rye and barley are ground here.", element, [rye, barley]).boxes, element, "knows")
    far = lined(TEXT + " The cellar of the old house by the river holds cider in nine barrels.", per_line=4)
    proof = [(0, 39), (len(far.text) - 25, len(far.text))]
    assert not inside(localize("Anna Holm built the mill in 1887; nine barrels.", far, proof).boxes, far, "rye")


def test_the_cell_of_a_value_with_its_row_and_column_as_context() -> None:
    element = table([["Stage", "Seats", "Grade"], ["Merrow", "12", "A"], ["Quay", "9", "B"]])
    found = localize("Quay has 9 seats.", element, compare("Quay has 9 seats.", [element]).proofs[0][1])
    place = {element.text[c.start : c.end]: c.bbox for c in element.cells}
    assert found.boxes == (place["9"],)
    assert set(found.context) == {place["Seats"], place["Quay"]}


@pytest.mark.parametrize("spans", [[(-5, 3)], [(3, 1)], [(0, 10**6)], [(7, 7)], [(10**6, 10**6 + 1)], []])
def test_spans_outside_the_text_are_cut_or_ignored(spans: list[tuple[int, int]]) -> None:
    found = localize("The mill was built in 1887.", lined(TEXT), spans)
    assert all(0 <= b.x0 < b.x1 <= 1 for b in found.boxes)


@pytest.mark.parametrize(("source", "boxed"), [("layer", False), ("ocr", True)])
def test_letters_that_look_alike_are_one_only_where_they_were_recognised(source: str, boxed: bool) -> None:
    element = lined("The mill of Bi1le grinds rye. Nobody knows more than that.", per_line=4, source=source)
    found = localize("It is Bille that grinds rye.", element)
    assert inside(found.boxes, element, "rye")
    assert inside(found.boxes, element, "Bi1le") is boxed


COORDINATE = st.floats(-2, 3, width=32) | st.sampled_from([float("nan"), float("inf"), float("-inf"), 0.5])


@given(st.lists(st.tuples(COORDINATE, COORDINATE, COORDINATE, COORDINATE), min_size=20, max_size=20), st.integers(1, 7))
def test_whatever_the_words_boxes_are_what_comes_out_is_on_the_page(
    boxes: list[tuple[float, float, float, float]], per_line: int
) -> None:
    element = lined(TEXT, per_line)
    words = element.words
    whole = np.array((boxes * 2)[: len(words)], np.float32)
    odd = replace(element, words=Words(words.spans, whole, words.lines))
    for found in (*localize("It grinds rye for the whole valley.", odd).boxes, *boxes_of(odd, 0, len(TEXT))):
        assert 0 <= found.x0 < found.x1 <= 1
        assert 0 <= found.y0 < found.y1 <= 1


@given(st.text(max_size=60), st.text(max_size=80))
def test_any_sentence_on_any_text(sentence: str, text: str) -> None:
    found = localize(sentence, fakes.element(text))
    assert 0 <= found.confidence <= 1 + 1e-9
    assert found.confidence >= CONFIDENT or not found.boxes
