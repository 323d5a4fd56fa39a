"""Count pages, tables and sections of documents, and the mentions of a term."""

from rag.calculation.counts.census import ElementCount, asked_for, element_count
from rag.calculation.counts.occurrences import mentions, mentions_asked_for
from rag.calculation.counts.tally import MOST_PAGES

__all__ = ["MOST_PAGES", "ElementCount", "asked_for", "element_count", "mentions", "mentions_asked_for"]
