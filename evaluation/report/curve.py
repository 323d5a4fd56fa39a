"""The curve of a figure against another one of the same questions: how right answers are by the evidence they cite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.harness import Results
from evaluation.report.parts import Table

STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The upper ends of the groups by the figure on the horizontal axis, ends included: 0, a quarter, and so on."""


@dataclass(frozen=True, slots=True)
class Point:
    """The questions of one group: what is on the horizontal axis, and the mean of the figure with its interval."""

    name: str
    at: float
    mean: float
    interval: tuple[float, float] | None
    n: int

    def __str__(self) -> str:
        """Return the mean as it stands in a table: `41.2 [30.0, 52.0]`."""
        return f"{self.mean:.1f}" + ("" if self.interval is None else " [{:.1f}, {:.1f}]".format(*self.interval))


def curve_of(run: Results, figure: str, against: str) -> list[Point]:
    """Return a point for each group that has a question with both figures, in percent.

    A point stands at the mean of its group on the horizontal axis.
    """
    known, where = run.values(figure), run.values(against)
    found = []
    for below, end in zip((-1.0, *STEPS), STEPS, strict=False):
        ids = [qid for qid in known if below < where.get(qid, -1.0) <= end]
        mean, at = run.estimate(figure, ids), run.estimate(against, ids)
        if mean is not None and at is not None:
            name = f"{100 * end:.0f}" if end == 0 else f"over {100 * below:.0f} to {100 * end:.0f}"
            found.append(Point(name, at[0], *mean, len(ids)))
    return found


def curve_table(runs: Sequence[Results], figure: str, against: str) -> Iterator[Table]:
    """Yield the curves of runs as a table, where some question has both figures."""
    rows = tuple((run.name, p.name, str(p), str(p.n)) for run in runs for p in curve_of(run, figure, against))
    if rows:
        yield Table(f"{figure} by {against}", ("run", against, figure, "n"), rows)
