"""The errors of a cluster, which are errors of indexing too."""

from __future__ import annotations

from indexing import IndexingError


class ClusterMissing(IndexingError):
    """No cluster answers at that address, or none of its nodes is free."""


class ClusterOpen(IndexingError):
    """The cluster would accept commands from anybody who can reach it."""


class ClusterLost(IndexingError):
    """The last node of the cluster is gone; documents that were complete are kept."""
