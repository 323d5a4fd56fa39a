"""The errors of research, which belong to the tree of `evaluation.errors`.

EvaluationError
├── CannotTrain         nothing to train on, with, or into
├── Unjudged            the judge gave no judgement of an answer
├── LeftOut             a constructed question fails a check
└── PackagesMissing     packages of an extra are not installed
"""

from __future__ import annotations

from evaluation import EvaluationError


class CannotTrain(EvaluationError):
    """The training has nothing to train on, with, or into; the message says what to do."""


class Unjudged(EvaluationError):
    """The judge did not say whether an answer is right."""


class LeftOut(EvaluationError):
    """The question or its evidence fails a check of the construction; the message is the reason to count."""


class PackagesMissing(EvaluationError):
    """Packages of an extra are not installed; the message says how to get them."""
