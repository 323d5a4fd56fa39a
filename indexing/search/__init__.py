"""Find elements and pages: candidates by codes and token means, then ranking by exact MaxSim."""

from indexing.search.memory_index import read_memory_index
from indexing.search.page_vectors import region_scores, regions_on_page
from indexing.search.ranking import LEAST_PAGES, merge_candidates, rank_candidates
from indexing.search.searcher import Searcher
from indexing.search.shard import (
    ALL_PAGES,
    Candidates,
    LocalShard,
    Shard,
    ShardQuery,
    growth,
    shards_of,
)

__all__ = [
    "ALL_PAGES",
    "LEAST_PAGES",
    "Candidates",
    "LocalShard",
    "Searcher",
    "Shard",
    "ShardQuery",
    "growth",
    "merge_candidates",
    "rank_candidates",
    "read_memory_index",
    "region_scores",
    "regions_on_page",
    "shards_of",
]
