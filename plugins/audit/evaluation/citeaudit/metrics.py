"""CiteAudit's figures (fake is the positive class): accuracy, precision, recall, F1 and false alarms, with intervals.

A reference that a system leaves open ("unknown") is counted apart: it is neither an alarm nor a reference passed.
Recall and F1 are of the references with a verdict, and once more of all fakes, where one left open was missed. The
paper has no third verdict: what no source confirms is fake, which `two_way_verdict` makes of a verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics import interval_of

Said = Literal["fake", "real", "unknown"]
"""The verdict of a system, in the words of the measure."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """The counts: fakes called fake (tp), real (fn), left open; real ones called real (tn), fake (fp), left open."""

    tp: int = 0
    fn: int = 0
    tn: int = 0
    fp: int = 0
    open_fake: int = 0
    open_real: int = 0

    @classmethod
    def of(cls, pairs: Sequence[tuple[bool, Said]]) -> Confusion:
        """Count pairs of the truth (True is real) and a verdict."""
        return cls(*(int(n) for n in cells(pairs).sum(axis=0)))

    @property
    def n(self) -> int:
        """The references, those left open among them."""
        return self.tp + self.fn + self.tn + self.fp + self.open_fake + self.open_real

    @property
    def open(self) -> int:
        """The references left open."""
        return self.open_fake + self.open_real

    @property
    def accuracy(self) -> float | None:
        """The share of verdicts that are right, of those that were given."""
        return _share(self.tp + self.tn, self.tp + self.fn + self.tn + self.fp)

    @property
    def precision(self) -> float | None:
        """The share of fakes among what was called fake."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        """The share of fakes that were called fake, of those that got a verdict."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def recall_of_all(self) -> float | None:
        """The share of fakes that were called fake, of all fakes: one left open was missed."""
        return _share(self.tp, self.tp + self.fn + self.open_fake)

    @property
    def f1_of_all(self) -> float | None:
        """The harmonic mean of precision and the recall of all fakes."""
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn + self.open_fake)

    @property
    def false_alarms(self) -> float | None:
        """The share of real references that were called fake, of all real ones: leaving them open is no alarm."""
        return _share(self.fp, self.fp + self.tn + self.open_real)


def two_way_verdict(said: Said) -> Said:
    """Return a verdict by the paper's rule, which knows two: what is not found real is fake."""
    return "fake" if said == "unknown" else said


def f1_interval(pairs: Sequence[tuple[bool, Said]]) -> tuple[float, float] | None:
    """Return the 95% bootstrap interval of F1 over references; None for fewer than two."""
    return interval_of(cells(pairs), _f1)


def alarm_interval(pairs: Sequence[tuple[bool, Said]]) -> tuple[float, float] | None:
    """Return the 95% bootstrap interval of the share of false alarms over references; None for fewer than two."""
    return interval_of(cells(pairs), _alarms)


def cells(pairs: Sequence[tuple[bool, Said]]) -> NDArray[np.float64]:
    """Return the cell of `Confusion` of each pair, as a one among zeros (n, 6)."""
    places = {
        (False, "fake"): 0,
        (False, "real"): 1,
        (True, "real"): 2,
        (True, "fake"): 3,
        (False, "unknown"): 4,
        (True, "unknown"): 5,
    }
    found = np.zeros((len(pairs), 6), np.float64)
    for n, pair in enumerate(pairs):
        found[n, places[pair]] = 1
    return found


def _f1(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    doubled = 2 * sums[:, 0]
    return doubled / np.maximum(1, doubled + sums[:, 1] + sums[:, 3])


def _alarms(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return sums[:, 3] / np.maximum(1, sums[:, 2] + sums[:, 3] + sums[:, 5])


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
