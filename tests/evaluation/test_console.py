"""Limits, percentiles and numbers as the benchmarks print them."""

from __future__ import annotations

import pytest

from evaluation.console import TableRow, percentile, print_rows, shown


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        (TableRow("time", 250, limit=250), "PASS"),
        (TableRow("time", 250.1, limit=250), "over"),
        (TableRow("recall", 98, limit=98, at_least=True), "PASS"),
        (TableRow("recall", 97.9, limit=98, at_least=True), "under"),
        (TableRow("pages", 12), "-"),
    ],
)
def test_a_limit_is_kept_or_not(row: TableRow, verdict: str) -> None:
    assert row.verdict == verdict


@pytest.mark.parametrize(("share", "value"), [(0.0, 1), (0.5, 10), (0.95, 19), (1.0, 20)])
def test_a_percentile_is_one_of_the_values(share: float, value: float) -> None:
    assert percentile([float(n) for n in range(20, 0, -1)], share) == value


def test_nothing_measured_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing was measured"):
        percentile([], 0.5)


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (0.0, "0"), (0.0935, "0.0935"), (1.0, "1.00"), (26.31, "26.3"), (1279.4, "1,279"), (-3.21, "-3.21")],
)
def test_numbers_have_three_digits(value: float | None, text: str) -> None:
    assert shown(value) == text


def test_the_table_holds_ours_the_reference_and_the_limit(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows("title", [TableRow("wall time", 30.0, "s", 20.0, 25.0)], "bare parts")
    line = next(line for line in capsys.readouterr().out.splitlines() if "wall time" in line)
    assert [part.strip() for part in line.strip("│").split("│")] == ["wall time", "30.0 s", "20.0 s", "25.0 s", "over"]
