"""The errors of research, which belong to the tree of `evaluation.errors`.

EvaluationError
├── CannotTrain         nothing to train on, with, or into
└── PackagesMissing     packages of an extra are not installed
"""

from __future__ import annotations

from evaluation import EvaluationError


class CannotTrain(EvaluationError):
    """The training has nothing to train on, with, or into; the message says what to do."""


class PackagesMissing(EvaluationError):
    """Packages of an extra are not installed; the message says how to get them."""
