"""The bench of calculations: what it counts as right, and what it prints."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluation.benches.tables.calculations import outcomes, report
from evaluation.table_questions import TableQuestion
from tests.rag.calculation.tables import BOATS, table

ASKED = TableQuestion("How many boats were built at Tern Head?", "ours", "boats", ("3",), table(BOATS))


def test_an_answer_is_right_with_its_cells_only() -> None:
    (right, wrong) = outcomes([ASKED, replace(ASKED, answers=("4",))])
    assert (right.right, wrong.right) == (True, False)
    assert right.made is not None
    assert not replace(right, made=replace(right.made, cells=())).right


def test_the_report_tells_shares_by_data_set(capsys: pytest.CaptureFixture[str]) -> None:
    report(outcomes([ASKED, replace(ASKED, answers=("4",))]))
    printed = capsys.readouterr().out
    assert "right answer with its cells: 50.0% (must 35%)" in printed
