"""Calculation: a question and a table -> an answer that is counted, compared or summed in code, with its cells."""

from rag.calculation.answer import computed_from, counted, with_computed
from rag.calculation.calculate import (
    ACCEPTANCE_FEATURES,
    LEAST,
    Calculation,
    ChosenProgram,
    acceptance_values,
    calculate,
    candidates,
    choose,
    features_of,
)
from rag.calculation.counts import MOST_PAGES, ElementCount, element_count, mentions

__all__ = [
    "ACCEPTANCE_FEATURES",
    "LEAST",
    "MOST_PAGES",
    "Calculation",
    "ChosenProgram",
    "ElementCount",
    "acceptance_values",
    "calculate",
    "candidates",
    "choose",
    "computed_from",
    "counted",
    "element_count",
    "features_of",
    "mentions",
    "with_computed",
]
