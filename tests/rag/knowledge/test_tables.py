"""Facts of tables: values have names only where a head surely gives them; elsewhere rows stand as they are."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from indexing import BBox, Cell, Element
from rag.knowledge import MOST_CHARS, facts_of_table, has_sure_head
from tests.support import fakes


def table(rows: Sequence[Sequence[str]], heads: int = 1, **other: object) -> Element:
    """A table with a cell for each text that is not empty; its first rows are taken for a head."""
    text, cells = "", []
    for r, row in enumerate(rows):
        text += "\n" if r else ""
        for c, value in enumerate(row):
            if not value:
                continue
            text += " | " if text and not text.endswith("\n") else ""
            top = 0.1 + 0.8 * r / len(rows)
            box = BBox(0.1 + 0.08 * c, top, 0.17 + 0.08 * c, top + 0.5 / len(rows))
            cells.append(Cell(r, c, 1, 1, len(text), len(text) + len(value), box, r < heads))
            text += value
    return replace(fakes.element(text, kind="table"), cells=tuple(cells), **other)  # type: ignore[arg-type]


STAGES = table([["Stage", "Seats", "Grade"], ["Merrow", "12", "A"], ["Quay", "9", "B"]], caption="Table 1: Stages")


def test_a_table_is_told_row_by_row_under_its_heads() -> None:
    assert facts_of_table(STAGES) == "Table 1: Stages\nMerrow: Seats = 12; Grade = A\nQuay: Seats = 9; Grade = B"


UNSURE = {
    "a value in the head": [["Program", "Need", "Gap"], ["Phase 1", "$1,762", "$306"], ["Phase 2", "$624", "$5"]],
    "names and values": [["Name", "Anna"], ["Length", "30 m"], ["Speed", "9 knots"]],
    "two values under one name": [["", "Rung", "Rung"], ["Random", "50.2", "48.4"], ["Alpaca", "63.3", "31.5"]],
    "a value without a name": [["", "U.S.", "", "Russia"], ["West", "43", "29", "21"], ["East", "23", "36", "38"]],
    "columns that were not parted": [["", "Often", "Never"], ["Born abroad", "57 21", "8"], ["Born here", "50", "8"]],
    "heads that were not parted": [["", "2021 2020", "2019"], ["Basic", "3.64", "2.55"], ["Diluted", "3.56", "2.49"]],
    "a row without a label": [["", "Seats", "Boats"], ["", "A", "B"], ["Merrow", "12", "9"], ["Quay", "9", "8"]],
    "words alone": [["Chair", "Anna", "Bergen"], ["Clerk", "Bo", "Moss"], ["Cook", "Cy", "Voss"]],
    "two tables in one": [
        ["", "Lots"],
        ["1990", "23.0%"],
        ["All of it", "Table F"],
        ["1998", "62.5%"],
        ["Sum", "Lots"],
    ],
    "no body": [["Stage", "Seats"]],
    "nothing": [],
}


@pytest.mark.parametrize("rows", UNSURE.values(), ids=UNSURE.keys())
def test_no_value_is_named_where_the_head_is_not_sure(rows: list[list[str]]) -> None:
    made = table(rows, heads=2 if rows[:1] == [["Program", "Need", "Gap"]] else 1)
    assert not has_sure_head(made)
    assert "=" not in facts_of_table(made)


@pytest.mark.parametrize(
    "rows",
    [
        [["Hop", "Count"], ["2", "39"], ["3", "179"]],  # labels that are values: the first row is of another kind
        [
            ["", "Members"], ["Bergen", "39"], ["Voss", "n/a"], ["Moss", "17"], ["Oslo", "9"], ["Lom", "\u2014"],
            ["Hof", "1"],
        ],
        [["", "2023", "2024"], ["Fares", "12", "14"], ["Costs", "3", "4"]],  # years are names
        [["Name", "City", "Owned"], ["Netflix K.K.", "Tokyo", "100%"], ["Netflix B.V.", "Delft", "50%"]],
    ],
)  # fmt: skip
def test_a_head_of_another_kind_than_its_columns_is_sure(rows: list[list[str]]) -> None:
    made = table(rows)
    assert has_sure_head(made)
    assert facts_of_table(made).splitlines()[0].count("=") == len(rows[1]) - 1


def test_a_table_without_cells_is_read_by_its_bars() -> None:
    made = fakes.element("Stage | Seats | Boats\nMerrow | 12 | 3\nQuay | 9 | 4", kind="table")
    assert facts_of_table(made) == "Merrow: Seats = 12; Boats = 3\nQuay: Seats = 9; Boats = 4"


@pytest.mark.parametrize("text", ["", "\n", "Stage", "|||"])
def test_a_table_without_values_tells_nothing(text: str) -> None:
    assert facts_of_table(fakes.element(text, kind="table")) == ""


def test_a_long_table_is_cut_between_rows_and_says_so() -> None:
    told = facts_of_table(table([["Stage", "Seats"], *([f"Stage {n} {'x' * 40}", str(n)] for n in range(400))]))
    assert len(told) <= MOST_CHARS + 40
    *rows, last = told.splitlines()
    assert last == f"({401 - len(rows)} more rows)"
