"""The errors of research, which belong to the tree of `evaluation.errors`.

EvaluationError
├── CannotCalibrate     a test set or a run gives no threshold to choose
├── CannotTrain         nothing to train on, with, or into
├── LeftOut             a page or a question gives no row of a test set
└── PackagesMissing     packages of an extra are not installed
"""

from __future__ import annotations

from evaluation import EvaluationError


class CannotCalibrate(EvaluationError):
    """A test set or a run gives no threshold to choose; the message says what to do."""


class CannotTrain(EvaluationError):
    """The training has nothing to train on, with, or into; the message says what to do."""


class LeftOut(EvaluationError):
    """A page or a question gives no row; the message is the reason to count."""


class PackagesMissing(EvaluationError):
    """Packages of an extra are not installed; the message says how to get them."""
