"""A row of a table is read with the heads of its columns, and only the cells that the question is about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexing import BBox, Cell, Collection, Element, Page, ParsedPage
from indexing.embed import MiniLM
from rag import Pipeline
from rag.methods.quote.rows import MOST_COLUMNS, is_keyed, read_row, rows_by_key
from tests.support import fakes


def table(*rows: tuple[str, ...], heads: int = 1) -> Element:
    """A table whose cells have a box each; an empty string is a cell that the one to its left or above covers."""
    text, cells = "", []
    for r, row in enumerate(rows):
        text += "\n" if r else ""
        for c, value in enumerate(row):
            if not value:
                continue
            text += " | " if text and not text.endswith("\n") else ""
            box = BBox(0.1 * c + 0.05, 0.1 * r + 0.05, 0.1 * c + 0.1, 0.1 * r + 0.1)
            cells.append(Cell(r, c, 1, 1, len(text), len(text) + len(value), box, r < heads))
            text += value
    return replace(fakes.element(text, kind="table"), cells=tuple(cells))


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


def test_a_row_of_words_is_read_too() -> None:
    element = table(("Button", "Function"), ("Up", "Wakes the watch"))
    assert row(element, "Up | Wakes", "What does the up button do?") == "Up | Function: Wakes the watch"


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


def test_a_row_with_a_value_under_no_head_is_quoted_as_it_stands() -> None:
    element = table(("", "", "Change"), ("Merrow", "44,538", "17"))
    assert row(element, "Merrow | 44,538 | 17", "What was the revenue of the Merrow?") is None


MARKETS = table(("Market name", "Code"), ("Little Rock", "AR01"), ("Boise", "ID01"), ("88", "AR-7"))
ERRORS = table(("Error number", "What it is"), ("88.", "Boiler"), ("188", "Heater"))


@pytest.mark.parametrize(
    ("question", "element", "keyed"),
    [
        ("Which market has the code AR01?", MARKETS, ["Little Rock | AR01"]),
        ("Which market is ar01, and which AR-7?", MARKETS, ["Little Rock | AR01", "88 | AR-7"]),
        ("What is error number 88?", ERRORS, ["88. | Boiler"]),
        ("What are errors 88 and 188?", ERRORS, ["88. | Boiler", "188 | Heater"]),
        ("What was sold in market 88?", MARKETS, ["88 | AR-7"]),
        ("What costs 88 crowns?", ERRORS, []),
        ("Which market was first, AR0?", MARKETS, []),
    ],
)
def test_a_row_is_known_by_the_code_or_number_that_a_question_names(
    question: str, element: Element, keyed: list[str]
) -> None:
    rows = element.text.split("\n")
    starts = [element.text.index(row) for row in rows]
    assert [r for r, a in zip(rows, starts, strict=True) if is_keyed(question, element, a, a + len(r))] == keyed


@pytest.fixture(scope="module")
def manuals(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    """Two manuals: one has the errors, and markets with a code; both have an error 7."""
    made = fakes.collection(tmp_path_factory.mktemp("manuals"), embedder)
    errors = table(("Error number", "What it is"), ("7", "Door"), ("88.", "Boiler"), ("188", "Heater"))
    other = table(("Error", "What it is"), ("7", "Lamp"))
    for name, tables in (("d1", [errors, MARKETS]), ("d2", [other])):
        key = name * 8
        pages = [
            ParsedPage(Page(key, n, 420.0, 595.0), (replace(t, id=f"{key}-{n}", doc_id=key, page=n),))
            for n, t in enumerate(tables, 1)
        ]
        fakes.keep(made, replace(fakes.document(f"{name}.pdf", [["x"]] * len(pages)), id=key), *pages)
    return made


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("What is error 188?", ["188 | Heater"]),
        ("What do the errors 188 and 88 mean?", ["188 | Heater", "88. | Boiler"]),
        ("Which market is AR01?", ["Little Rock | Code: AR01"]),
        ("What is error 7?", []),  # of which manual?
        ("What do the errors 88 and 9 mean?", []),
        ("What are 88 boats worth?", []),
    ],
)
def test_a_row_that_is_named_by_its_key_is_looked_up(question: str, rows: list[str], manuals: Collection) -> None:
    found = rows_by_key(question, manuals.documents(), manuals)
    assert [sentence.text for sentence, _ in found] == rows
    assert all(sentence.citations[0].boxes for sentence, _ in found)


def test_the_row_of_a_key_is_the_answer(manuals: Collection) -> None:
    answer = Pipeline(manuals).answer("What is error 7?", documents=["d2.pdf"])
    assert [(s.text, s.verdict, s.citations[0].document) for s in answer.sentences] == [
        ("7 | Lamp", "quoted", "d2.pdf")
    ]
