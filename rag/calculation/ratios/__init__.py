"""Compute financial ratios that a report does not state, from the cells of its statements."""

from rag.calculation.ratios.asked import ratio_asked
from rag.calculation.ratios.book import RatioBook, load_ratios
from rag.calculation.ratios.ratio import computed_ratio

__all__ = ["RatioBook", "computed_ratio", "load_ratios", "ratio_asked"]
