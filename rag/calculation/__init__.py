"""Answer sums, counts and comparisons over table cells in code, and cite the cells."""

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
from rag.calculation.ratios import RatioBook, computed_ratio, load_ratios

__all__ = [
    "ACCEPTANCE_FEATURES",
    "LEAST",
    "MOST_PAGES",
    "Calculation",
    "ChosenProgram",
    "ElementCount",
    "RatioBook",
    "acceptance_values",
    "calculate",
    "candidates",
    "choose",
    "computed_from",
    "computed_ratio",
    "counted",
    "element_count",
    "features_of",
    "load_ratios",
    "mentions",
    "with_computed",
]
