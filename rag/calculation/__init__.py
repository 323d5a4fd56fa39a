"""Answer counts and financial ratios in code, and cite what they are made of."""

from rag.calculation.counts import MOST_PAGES, element_count, mentions
from rag.calculation.ratio_book import RatioBook, load_ratios
from rag.calculation.ratios import computed_ratio
