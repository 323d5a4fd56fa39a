"""Ratios: what reports do not say, computed from their statements by the formulas of the textbook, with each cell."""

from rag.calculation.ratios.asked import ratio_asked
from rag.calculation.ratios.book import RatioBook, load_ratios
from rag.calculation.ratios.ratio import computed_ratio

__all__ = ["RatioBook", "computed_ratio", "load_ratios", "ratio_asked"]
