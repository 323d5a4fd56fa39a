"""Find elements and pages: candidates by codes and token means, then ranking by exact MaxSim."""

from indexing.search.candidates import ALL_PAGES, growth
from indexing.search.memory_index import read_memory_index
from indexing.search.page_vectors import region_scores, regions_on_page
from indexing.search.searcher import LEAST_PAGES, Searcher
