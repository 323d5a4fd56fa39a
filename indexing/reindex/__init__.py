"""Reindexing: a version of a collection is made beside the one that answers, and takes its place at the end."""

from indexing.reindex.run import discard_reindex, reindex_collection

__all__ = ["discard_reindex", "reindex_collection"]
