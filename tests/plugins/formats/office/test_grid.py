"""Grids: tables cut to pages with their heads repeated, lines that stand alone, addresses."""

from __future__ import annotations

import pytest

from plugins.formats.office.grid import (
    SheetCell,
    SheetGrid,
    SheetRow,
    address,
    column_letters,
    ranges,
    sheet_blocks,
)
from plugins.formats.typesetting import SourceBlock


def grid(rows: dict[int, dict[int, str]]) -> SheetGrid:
    """Return a sheet of texts; those that are digits are numbers."""
    made = SheetGrid("Sheet 2")
    for number, cells in rows.items():
        made.rows.append(SheetRow(number, number, {c: SheetCell(t, t.isdecimal()) for c, t in cells.items()}))
    return made


def tables(made: SheetGrid) -> list[SourceBlock]:
    return [block for block in sheet_blocks(made) if block.kind == "table"]


def test_addresses() -> None:
    assert [column_letters(n) for n in (1, 26, 27, 702, 703, 16384)] == ["A", "Z", "AA", "ZZ", "AAA", "XFD"]
    assert address(7, 2) == "B7"
    assert address(7, 2, SheetCell("x", row_span=2, col_span=3)) == "B7:D8"


def test_a_small_table_keeps_its_head_and_its_place() -> None:
    heading, table = sheet_blocks(grid({1: {1: "Mill", 2: "Tons"}, 2: {1: "Alma", 2: "12"}, 3: {2: "7"}}))
    assert (heading.kind, heading.text, heading.level) == ("heading", "Sheet 2", 1)
    assert table.rows == (("Mill", "Tons"), ("Alma", "12"), ("", "7"))
    assert (table.header_rows, table.place) == (1, "Sheet 2, A1:B3")
    assert table.places == (("A1", "B1"), ("A2", "B2"), ("A3", "B3"))


def test_a_very_long_table_is_cut_by_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plugins.formats.office.grid.BLOCK_ROWS", 40)
    rows = {1: {1: "Mill", 2: "Tons"}} | {n: {1: f"Mill {n}", 2: str(n)} for n in range(2, 102)}
    parts = tables(grid(rows))
    assert [part.place for part in parts] == ["Sheet 2, A1:B41", "Sheet 2, A42:B81", "Sheet 2, A82:B101"]
    assert all(part.rows[0] == ("Mill", "Tons") for part in parts)
    assert [part.places[0] for part in parts] == [("A1", "B1"), ("", ""), ("", "")]
    assert sum(len(part.rows) - 1 for part in parts) == 100


def test_a_wide_table_is_cut_by_columns_and_repeats_the_labels() -> None:
    head = {1: "Mill"} | {c: f"Quarter number {c}" for c in range(2, 14)}
    rows = {1: head} | {n: {1: f"Mill {n}"} | {c: str(100 * n + c) for c in range(2, 14)} for n in (2, 3)}
    parts = tables(grid(rows))
    assert all([row[0] for row in part.rows] == ["Mill", "Mill 2", "Mill 3"] for part in parts)
    assert [part.place for part in parts] == ["Sheet 2, A1:E3", "Sheet 2, A1:A3 and F1:I3", "Sheet 2, A1:A3 and J1:M3"]
    assert [value for part in parts for value in part.rows[1][1:]] == [str(200 + c) for c in range(2, 14)]
    assert parts[0].places[1][1] == "B2"


def test_tables_side_by_side_are_told_apart() -> None:
    rows = {n: {2: f"Mill {n}", 4: str(n), 9: f"Ship {n}", 10: str(n)} for n in (1, 2)}
    parts = tables(grid(rows))
    assert [part.place for part in parts] == ["Sheet 2, B1:D2", "Sheet 2, I1:J2"]
    assert parts[0].rows[0] == ("Mill 1", "", "1")


def test_hidden_columns_and_rows_do_not_part_a_table() -> None:
    made = grid({1: {1: "Mill", 9: "Tons"}, 4: {1: "Alma", 9: "12"}, 5: {1: "Bea", 9: "7"}})
    made.unseen_columns = frozenset(range(2, 9))
    made.rows[1].position, made.rows[2].position = 2, 3
    (table,) = tables(made)
    assert table.place == "Sheet 2, A1 and I1 and A4:A5 and I4:I5"
    assert table.places == ()


def test_what_stands_alone_is_no_row() -> None:
    rows = {
        1: {1: "Mills of the north"},
        2: {1: "Mill", 2: "Tons"},
        3: {1: "Alma", 2: "12"},
        4: {1: "All tons are metric, and weighed after the grinding was done."},
        6: {1: "Note"},
        7: {1: "Second note"},
    }
    made = list(sheet_blocks(grid(rows)))
    assert [block.kind for block in made] == ["heading", "text", "table", "text", "text", "text"]
    assert made[1].place == "Sheet 2, A1"
    assert made[2].place == "Sheet 2, A2:B3"
    assert [block.place for block in made[3:]] == ["Sheet 2, A4", "Sheet 2, A6", "Sheet 2, A7"]


def test_numbers_alone_have_no_head() -> None:
    (table,) = tables(grid({1: {1: "1", 2: "2"}, 2: {1: "3", 2: "4"}}))
    assert table.header_rows == 0


def test_a_head_of_two_rows() -> None:
    made = grid({1: {1: "Mill"}, 2: {2: "Spring", 3: "Autumn"}, 3: {1: "Alma", 2: "1", 3: "2"}})
    made.rows[0].cells[2] = SheetCell("Tons", col_span=2)
    (table,) = tables(made)
    assert table.header_rows == 2
    assert table.places[0] == ("A1", "B1:C1", "C1")


def test_empty_rows_part_tables_and_hidden_ones_do_not() -> None:
    rows = [SheetRow(1, 1), SheetRow(2, 2), SheetRow(9, 3), SheetRow(11, 5)]
    for row in rows:
        row.cells = {1: SheetCell("a"), 2: SheetCell("1", number=True)}
    assert [block.place for block in tables(SheetGrid("S", rows))] == ["S, A1:B2 and A9:B9", "S, A11:B11"]


def test_many_ranges_are_one_around_all() -> None:
    assert ranges([1, 3, 5, 7, 9], [1, 2]) == "A1:B9 without what is hidden"
