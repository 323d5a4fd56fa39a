"""A table as a sheet: heads, typed cells, totals, and its bounds."""

from __future__ import annotations

import pytest

from rag.calculation.sheet import MOST_COLUMNS, sheets_of, value_of
from tests.rag.calculation.tables import ACCOUNTS, BOATS, table


@pytest.mark.parametrize(
    ("text", "amount", "kind"),
    [
        ("7,169", 7169.0, "number"),
        ("$(426)", -426.0, "number"),
        ("−2.5", -2.5, "number"),
        ("18.3%", 18.3, "number"),
        ("2nd (heat)", 2.0, "number"),
        ("1:22:23", 4943.0, "number"),
        ("1958", 1958.0, "moment"),
        ("2 March 2008", 2008 + 95 / 404, "moment"),
        ("10 km", 10000.0, "number"),
    ],
)
def test_a_cell_is_read_as_what_it_is(text: str, amount: float, kind: str) -> None:
    value = value_of(text)
    assert value is not None
    assert (value.amount, value.kind) == (pytest.approx(amount), kind)


@pytest.mark.parametrize("text", ["—", "", "Tern Head", "n/a"])
def test_words_and_dashes_have_no_value(text: str) -> None:
    assert value_of(text) is None


def test_a_number_is_kept_as_it_is_written_beside_its_amount() -> None:
    value = value_of("10.50 km")
    assert value is not None
    assert (value.written, value.decimals, value.unit) == (10.5, 2, "m")


def test_the_sheet_has_the_columns_of_the_table_and_turned_its_rows() -> None:
    upright, turned = sheets_of(table(ACCOUNTS))
    assert [head.text for head in upright.heads] == ["", "2021", "2020", "2019"]
    assert [head.text for head in turned.heads] == ["", "Fares", "Harbour dues", "Fuel", "Total income"]
    assert [row[0].text for row in turned.rows if row[0]] == ["2021", "2020", "2019"]
    assert turned.rows[1][2] == upright.rows[1][2]


def test_columns_have_kinds() -> None:
    upright, _ = sheets_of(table(BOATS))
    assert upright.kinds == ("text", "text", "moment", "number", "number")


def test_a_total_is_no_part() -> None:
    upright, _ = sheets_of(table(ACCOUNTS))
    assert upright.parts == (0, 1, 2)


def test_a_second_row_of_years_belongs_to_the_head() -> None:
    rows = (("", "Years ended 30 June", ""), ("(in millions)", "2021", "2020"), ("Fares", "7", "5"))
    upright, _ = sheets_of(table(rows))
    assert [head.text for head in upright.heads] == ["(in millions)", "Years ended 30 June 2021", "2020"]
    assert len(upright.rows) == 1


def test_a_row_of_names_and_years_is_no_head() -> None:
    rows = (("Director", "Elected by", "Since"), ("Ingrid Vasko", "Members", "2017"), ("Tobias Renn", "Staff", "2019"))
    upright, _ = sheets_of(table(rows))
    assert [row[0].text for row in upright.rows if row[0]] == ["Ingrid Vasko", "Tobias Renn"]


def test_a_table_that_is_too_large_is_refused() -> None:
    assert sheets_of(table([[f"h{n}" for n in range(MOST_COLUMNS + 1)], ["1"] * (MOST_COLUMNS + 1)])) == ()
    assert sheets_of(table([["a", "b"], *([["x", "1"]] * 401)])) == ()
