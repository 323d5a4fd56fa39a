"""Limits, percentiles and numbers as the benchmarks print them."""

import pytest

from evaluation.console import TableRow, print_rows


def test_the_table_holds_ours_the_reference_and_the_limit(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows("title", [TableRow("wall time", 30.0, "s", 20.0, 25.0)], "bare parts")
    line = next(line for line in capsys.readouterr().out.splitlines() if "wall time" in line)
    assert [part.strip() for part in line.strip("│").split("│")] == ["wall time", "30.0 s", "20.0 s", "25.0 s", "over"]
