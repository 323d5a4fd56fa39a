"""Build a new version of a collection beside the current one, and swap it in at the end."""

from indexing.reindex.run import discard_reindex, reindex_collection
