"""Search: queries -> elements and pages, by codes, by means of tokens, then by exact MaxSim."""

from indexing.search.memory_index import read_memory_index
from indexing.search.page_vectors import PageVectors
from indexing.search.ranking import LEAST_PAGES
from indexing.search.searcher import Searcher
from indexing.search.shard import ALL_PAGES, LocalShard, Shard, growth, shards_of
from indexing.search.similarity_map import located, region_scores

__all__ = [
    "ALL_PAGES",
    "LEAST_PAGES",
    "LocalShard",
    "PageVectors",
    "Searcher",
    "Shard",
    "growth",
    "located",
    "read_memory_index",
    "region_scores",
    "shards_of",
]
