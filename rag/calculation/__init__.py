"""Answer counts and financial ratios in code, and cite what they are made of."""

from rag.calculation.answer import count_answer
from rag.calculation.counts import MOST_PAGES, ElementCount, element_count, mentions
from rag.calculation.ratios import RatioBook, computed_ratio, load_ratios

__all__ = [
    "MOST_PAGES",
    "ElementCount",
    "RatioBook",
    "computed_ratio",
    "count_answer",
    "element_count",
    "load_ratios",
    "mentions",
]
