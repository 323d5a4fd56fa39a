"""Search: queries -> elements and pages, by codes, by means of tokens, then by exact MaxSim."""

from indexing.search import searcher
from indexing.search.memory_index import read_memory_index
from indexing.search.page_vectors import PageVectors
from indexing.search.searcher import LEAST_PAGES, Searcher, growth
from indexing.search.similarity_map import located, region_scores

__all__ = [
    "LEAST_PAGES",
    "PageVectors",
    "Searcher",
    "growth",
    "located",
    "read_memory_index",
    "region_scores",
    "searcher",
]
