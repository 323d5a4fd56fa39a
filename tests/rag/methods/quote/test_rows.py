"""A row of a table is read with the heads of its columns, and only the cells that the question is about."""

from __future__ import annotations

from dataclasses import replace

from indexing import Element
from rag.methods.quote.rows import MOST_COLUMNS, read_row
from tests.rag.calculation import tables
from tests.support import fakes


def table(*rows: tuple[str, ...], heads: int = 1) -> Element:
    return tables.table(rows, heads)


def row(element: Element, text: str, question: str) -> str | None:
    start = element.text.index(text)
    read = read_row(element, start, start + len(text), question)
    return read.text if read else None


FERRIES = table(("Ferry", "Seats", "Crew"), ("Merrow", "120", "4"), ("Quay", "90", "3"))


def test_the_cell_that_is_asked_for_is_read_with_its_heads() -> None:
    assert row(FERRIES, "Merrow | 120 | 4", "How many seats has the Merrow?") == "Merrow | Seats: 120"
    assert row(FERRIES, "Quay | 90 | 3", "Tell me about the Quay") == "Quay | Seats: 90; Crew: 3"


def test_its_boxes_are_the_cells_and_their_heads() -> None:
    start = FERRIES.text.index("Merrow")
    read = read_row(FERRIES, start, start + 16, "How many seats?")
    assert read is not None
    by_text = {FERRIES.text[c.start : c.end]: c.bbox for c in FERRIES.cells}
    assert read.boxes == (by_text["Merrow"], by_text["120"])
    assert read.heads == (by_text["Seats"],)


def test_a_label_that_spans_rows_is_read_with_each() -> None:
    element = table(("Line", "Stop", "Seats"), ("North", "Merrow", "12"), ("", "Quay", "9"))
    spanning = [replace(c, row_span=2) if element.text[c.start : c.end] == "North" else c for c in element.cells]
    element = replace(element, cells=tuple(spanning))
    assert row(element, "Quay | 9", "How many seats?") == "North, Quay | Seats: 9"


def test_the_first_row_of_a_list_is_no_head() -> None:
    signs = table(
        ("Harbor light on", "Fog horn sounding"), ("Harbor light off", "Tide gauge ready"), ("Lock open", "Pump on")
    )
    assert row(signs, "Lock open | Pump on", "When is the lock open?") is None
    exhibits = table(("(4.1)", "Charter of the ferry line"), ("(4.2)", "Lease of the quay, as amended"))
    assert row(exhibits, "(4.2) | Lease", "What is in exhibit 4.2?") is None
    kinds = table(('"boat"', "BOAT"), ('"quay"', "a place to moor a boat"), ('"buoy"', "a mark of the fairway"))
    assert row(kinds, '"quay" | a place', "What is a quay?") is None


def test_two_storeys_of_heads_are_both_read() -> None:
    element = table(("Ferry", "Summer"), ("Ferry", "Seats"), ("Merrow", "120"), heads=2)
    assert row(element, "Merrow | 120", "seats in summer") == "Merrow | Summer Seats: 120"


def test_what_is_no_row_with_heads_is_left_as_it_stands() -> None:
    assert row(FERRIES, "Merrow | 120 | 4\nQuay", "seats") is None
    assert row(table(("Merrow", "120"), ("Quay", "90"), heads=0), "Merrow | 120", "seats") is None
    assert row(FERRIES, "Ferry | Seats | Crew", "seats") is None
    assert read_row(fakes.element("Merrow sails."), 0, 5, "seats") is None
    wide = ("Ferry", *(f"Day {n}" for n in range(MOST_COLUMNS + 1)))
    assert row(table(wide, ("Merrow", *"123456789")), "Merrow", "seats") is None
