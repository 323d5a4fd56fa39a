"""Decide whether an element supports, partly supports or contradicts a sentence, and say why."""

from rag.attribution.verify.contradiction import Difference
from rag.attribution.verify.gather import gathered
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

__all__ = [
    "DOUBTED",
    "MAX_SENTENCE",
    "PARTIAL",
    "SUPPORTED",
    "Check",
    "Difference",
    "contradiction",
    "gathered",
    "reading_of",
    "repair",
    "says_some",
    "verify",
    "verify_all",
]
