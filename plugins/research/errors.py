"""The errors of research, which belong to the tree of `evaluation.errors`.

EvaluationError
├── CannotCalibrate     a test set or a run gives no threshold to choose
└── LeftOut             a page or a question gives no row of a test set
"""

from __future__ import annotations

from evaluation import EvaluationError


class CannotCalibrate(EvaluationError):
    """A test set or a run gives no threshold to choose; the message says what to do."""


class LeftOut(EvaluationError):
    """A page or a question gives no row; the message is the reason to count."""
