"""Counts: how many pages, tables or sections documents have, and how often they mention something."""

from rag.calculation.counts.census import ElementCount, asked_for, element_count
from rag.calculation.counts.occurrences import mentions, mentions_asked_for

__all__ = ["ElementCount", "asked_for", "element_count", "mentions", "mentions_asked_for"]
