"""CiteAudit's figures: Vouch beside the published system, with intervals; fake is the positive class.

A reference that a system leaves open ("unknown") is counted apart: it is neither an alarm nor a reference passed.
Recall and F1 are of the references with a verdict, and once more of all fakes, where one left open was missed. The
paper has no third verdict: what no source confirms is fake, which `by_paper_rule` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics import interval_of, quantile

Said = Literal["fake", "real", "unknown"]
"""The verdict of a system, in the words of the measure."""
Row = Mapping[str, Any]
"""A line of a file of predictions: one citation in one world."""
HEAD = (
    "", "n", "fake", "F1", "95%", "precision", "recall", "accuracy", "recall, all fakes", "F1, all fakes",
    "false alarms", "95%", "open", "real as invented",
)  # fmt: skip
"""The columns. F1, recall and accuracy are of the references with a verdict, and once more of all fakes; "open" counts
those without one; the last is the share of real ones called invented.
"""
_CELLS = {
    (False, "fake"): "tp", (False, "real"): "fn", (True, "real"): "tn", (True, "fake"): "fp",
    (False, "unknown"): "open_fake", (True, "unknown"): "open_real",
}  # fmt: skip
"""The cells of the table of truth and verdict."""


def figures_of(pairs: Sequence[tuple[bool, Said]]) -> dict[str, Any]:
    """Return counts, shares and 95% bootstrap intervals for pairs of the truth (True is real) and a verdict.

    A share of nothing is None, and so is an interval of fewer than two references.
    """
    names = tuple(_CELLS.values())
    cells = np.array([[_CELLS[pair] == name for name in names] for pair in pairs], np.float64).reshape(-1, len(names))
    tp, fn, tn, fp, open_fake, open_real = (int(n) for n in cells.sum(axis=0))
    return {
        "n": len(pairs),
        **dict(zip(names, (tp, fn, tn, fp, open_fake, open_real), strict=True)),
        "f1": _ratio(2 * tp, 2 * tp + fp + fn),
        "precision": _ratio(tp, tp + fp),
        "recall": _ratio(tp, tp + fn),
        "accuracy": _ratio(tp + tn, tp + fn + tn + fp),
        "recall_of_all": _ratio(tp, tp + fn + open_fake),
        "f1_of_all": _ratio(2 * tp, 2 * tp + fp + fn + open_fake),
        "false_alarms": _ratio(fp, fp + tn + open_real),
        "citeaudit.f1_interval": interval_of(cells, _f1),
        "false_alarms_interval": interval_of(cells, _alarms),
    }


def _f1(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    double = 2 * sums[:, 0]
    return double / np.maximum(1, double + sums[:, 1] + sums[:, 3])


def _alarms(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return sums[:, 3] / np.maximum(1, sums[:, 2] + sums[:, 3] + sums[:, 5])


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def verdict_of(row: Row) -> Said:
    """Return Vouch's verdict in the words of the measure: errors, questionable and invented are fake."""
    status = row["status"]
    return status if status in ("unknown", "real") else "fake"


def by_paper_rule(row: Row) -> Said:
    """Return Vouch's verdict by the paper's rule: what it left open is fake."""
    return "real" if row["status"] == "real" else "fake"


def strictly(row: Row) -> Said:
    """Return the verdict of the paper's formula S_c: real only where some record has the same characters."""
    return "real" if row["strict"] else "fake"


def published_verdict_of(row: Row) -> Said:
    """Return the published system's verdict out of the same file."""
    return "unknown" if row["published"] is None else "real" if row["published"] else "fake"


_SYSTEMS: dict[str, Callable[[Row], Said]] = {
    "": verdict_of,
    ", unknown is fake": by_paper_rule,
    ", strict formula": strictly,
    ", published system": published_verdict_of,
}
"""The verdicts that are compared, by what a table adds to the name of a group."""


def groups_of(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the lines by group: all, and by set."""
    groups: dict[str, list[Row]] = {"all": list(rows)}
    for row in rows:
        groups.setdefault(row["set"], []).append(row)
    return groups


def world_table(rows: Sequence[Row]) -> list[list[str]]:
    """Return the table of one world: each group by Vouch, by its verdicts where unknown is fake, by the strict formula,
    and by the published system.
    """
    return [
        _line(f"{name}{label}", group, verdict)
        for name, group in groups_of(rows).items()
        for label, verdict in _SYSTEMS.items()
        if verdict is not published_verdict_of or any(row["published"] is not None for row in group)
    ]


def _line(name: str, rows: Sequence[Row], verdict: Callable[[Row], Said]) -> list[str]:
    figures = figures_of([(bool(row["real"]), verdict(row)) for row in rows])
    inventions = [row["status"] == "invented" for row in rows if row["real"]]
    shares = ("precision", "recall", "accuracy", "recall_of_all", "f1_of_all")
    return [
        name,
        str(figures["n"]),
        str(figures["tp"] + figures["fn"] + figures["open_fake"]),
        _share(figures["f1"]),
        _between(figures["citeaudit.f1_interval"]),
        *(_share(figures[share]) for share in shares),
        _percent(figures["false_alarms"]),
        _between(figures["false_alarms_interval"], 100),
        str(figures["open_fake"] + figures["open_real"]),
        _percent(sum(inventions) / len(inventions)) if verdict is verdict_of and inventions else "-",
    ]


def seconds(rows: Sequence[Row]) -> str:
    """Return the time of a reference in words: the middle one, and that of the slowest hundredth, in milliseconds."""
    times = [1000 * float(row["seconds"]) for row in rows]
    if not times:
        return "no references were audited"
    return f"{quantile(times, 0.5):.1f} ms a reference (99 of 100 within {quantile(times, 0.99):.1f} ms)"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}%"


def _between(bounds: tuple[float, float] | None, times: int = 1) -> str:
    digits = 1 if times > 1 else 3
    return "-" if bounds is None else f"{times * bounds[0]:.{digits}f} to {times * bounds[1]:.{digits}f}"
