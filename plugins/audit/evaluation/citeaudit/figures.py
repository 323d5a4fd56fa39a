"""The figures of an audited file: groups of lines, and a table a world, Vouch beside the published system."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evaluation.metrics import quantile
from plugins.audit.evaluation.citeaudit.metrics import Confusion, Said, alarm_interval, f1_interval, two_way_verdict

Row = Mapping[str, Any]
"""A line of a file of predictions: one citation in one world."""
HEAD = (
    "",
    "n",
    "fake",
    "F1",
    "95%",
    "precision",
    "recall",
    "accuracy",
    "recall, all fakes",
    "F1, all fakes",
    "false alarms",
    "95%",
    "open",
    "real as invented",
)
"""The columns. F1, recall and accuracy are of the references with a verdict, and once more of all fakes; "open" counts
those without one; the last is the share of real ones called invented.
"""


FIGURES = ("f1", "precision", "recall", "accuracy", "recall_of_all", "f1_of_all", "false_alarms")


def said(row: Row) -> Said:
    """Return Vouch's verdict in the words of the measure: errors, questionable and invented are fake."""
    status = row["status"]
    return "unknown" if status == "unknown" else "real" if status == "real" else "fake"


def by_paper_rule(row: Row) -> Said:
    """Return Vouch's verdict by the paper's rule: what it left open is fake."""
    return two_way_verdict(said(row))


def strictly(row: Row) -> Said:
    """Return the verdict of the paper's formula S_c: real only where some record has the same characters."""
    return "real" if row["strict"] else "fake"


def published(row: Row) -> Said:
    """Return the published system's verdict out of the same file."""
    return "unknown" if row["published"] is None else "real" if row["published"] else "fake"


def groups_of(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the lines by group: all, by set, and, for each kind of fake, its fakes with all real lines."""
    groups: dict[str, list[Row]] = {"all": list(rows)}
    for name in dict.fromkeys(row["set"] for row in rows):
        groups[name] = [row for row in rows if row["set"] == name]
    return groups


def world_table(rows: Sequence[Row]) -> list[list[str]]:
    """Return the table of one world: each group by Vouch, by its verdicts where unknown is fake, by the strict formula,
    and by the published system.
    """
    body: list[list[str]] = []
    for name, group in groups_of(rows).items():
        body.append(figures(name, group, said))
        body.append(figures(f"{name}, unknown is fake", group, by_paper_rule))
        body.append(figures(f"{name}, strict formula", group, strictly))
        if any(row["published"] is not None for row in group):
            body.append(figures(f"{name}, published system", group, published))
    return body


def figures(name: str, rows: Sequence[Row], verdict: Callable[[Row], Said]) -> list[str]:
    """Return a line of the table."""
    pairs = [(bool(row["real"]), verdict(row)) for row in rows]
    counts = Confusion.of(pairs)
    real = [row for row in rows if row["real"]]
    invented = sum(row["status"] == "invented" for row in real)
    shares = (counts.precision, counts.recall, counts.accuracy, counts.recall_of_all, counts.f1_of_all)
    return [
        name,
        str(counts.n),
        str(counts.tp + counts.fn + counts.open_fake),
        _share(counts.f1),
        _between(f1_interval(pairs)),
        *map(_share, shares),
        _percent(counts.false_alarms),
        _between(alarm_interval(pairs), 100),
        str(counts.open),
        _percent(invented / len(real)) if verdict is said and real else "-",
    ]


def kind_table(rows: Sequence[Row]) -> list[list[str]]:
    """Return how many fakes of each kind were called fake, real, or left open."""
    fakes = [row for row in rows if not row["real"]]
    return [
        _outcomes(kind, [r for r in fakes if r["kind"] == kind]) for kind in dict.fromkeys(r["kind"] for r in fakes)
    ]


def coverage_table(rows: Sequence[Row]) -> list[list[str]]:
    """Return what became of lines by what the bibliography covers: the line itself, its twin, or neither."""
    names = {
        "real, covered": [r for r in rows if r["real"] and r["covered"]],
        "real, not covered, a twin is": [r for r in rows if r["real"] and not r["covered"] and r["twin covered"]],
        "real, not covered": [r for r in rows if r["real"] and not r["covered"] and not r["twin covered"]],
        "fake, its twin is covered": [r for r in rows if not r["real"] and r["twin covered"]],
        "fake, its twin is not covered": [r for r in rows if not r["real"] and r["twin"] and not r["twin covered"]],
        "fake, without a twin": [r for r in rows if not r["real"] and not r["twin"]],
    }
    return [_outcomes(name, group) for name, group in names.items()]


OUTCOMES = ("", "n", "real", "errors", "questionable", "invented", "unknown")


def _outcomes(name: str, rows: Sequence[Row]) -> list[str]:
    return [name, str(len(rows)), *(str(sum(r["status"] == status for r in rows)) for status in OUTCOMES[2:])]


def seconds(rows: Sequence[Row]) -> str:
    """Return the time of a reference in words: the middle one, and that of the slowest hundredth, in milliseconds."""
    times = [1000 * float(row["seconds"]) for row in rows]
    if not times:
        return "no references were audited"
    return f"{quantile(times, 0.5):.1f} ms a reference (99 of 100 within {quantile(times, 0.99):.1f} ms)"


def summary_of(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the figures of one world as plain values, for summary.json."""
    found: dict[str, Any] = {}
    for name, group in groups_of(rows).items():
        for system, verdict in (
            ("vouch", said),
            ("unknown is fake", by_paper_rule),
            ("strict", strictly),
            ("published", published),
        ):
            pairs = [(bool(row["real"]), verdict(row)) for row in group]
            counts = Confusion.of(pairs)
            found[f"{name}, {system}"] = {
                **{key: getattr(counts, key) for key in ("n", "tp", "fn", "tn", "fp", "open_fake", "open_real")},
                **{key: getattr(counts, key) for key in FIGURES},
                "citeaudit.f1_interval": f1_interval(pairs),
                "false_alarms_interval": alarm_interval(pairs),
            }
    found["kinds of fakes"] = [dict(zip(OUTCOMES, line, strict=True)) for line in kind_table(rows)]
    found["coverage"] = [dict(zip(OUTCOMES, line, strict=True)) for line in coverage_table(rows)]
    found["time"] = seconds(rows)
    return found


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}%"


def _between(bounds: tuple[float, float] | None, times: int = 1) -> str:
    digits = 1 if times > 1 else 3
    return "-" if bounds is None else f"{times * bounds[0]:.{digits}f} to {times * bounds[1]:.{digits}f}"
