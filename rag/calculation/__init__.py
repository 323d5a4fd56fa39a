"""Calculation: a question and a table -> an answer that is counted, compared or summed in code, with its cells."""

from rag.calculation.calculate import LEAST, Calculation, calculate
from rag.calculation.choose import ACCEPTANCE_FEATURES, Choice, acceptance_values, candidates, choose, features_of

__all__ = [
    "ACCEPTANCE_FEATURES",
    "LEAST",
    "Calculation",
    "Choice",
    "acceptance_values",
    "calculate",
    "candidates",
    "choose",
    "features_of",
]
