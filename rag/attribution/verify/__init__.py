"""Decide whether an element supports, partly supports or contradicts a sentence, and say why."""

from rag.attribution.verify.contradiction import Difference
from rag.attribution.verify.gather import gathered
from rag.attribution.verify.judge import BoundedJudge, ModelJudge, judge_of
from rag.attribution.verify.verify import (
    DOUBTED,
    MAX_SENTENCE,
    PARTIAL,
    SUPPORTED,
    Check,
    contradiction,
    reading_of,
    repair,
    says_some,
    verify,
    verify_all,
)
from rag.types import Judge
from rag.usage import NO_USAGE

__all__ = [
    "DOUBTED",
    "MAX_SENTENCE",
    "NO_USAGE",
    "PARTIAL",
    "SUPPORTED",
    "BoundedJudge",
    "Check",
    "Difference",
    "Judge",
    "ModelJudge",
    "contradiction",
    "gathered",
    "judge_of",
    "reading_of",
    "repair",
    "says_some",
    "verify",
    "verify_all",
]
