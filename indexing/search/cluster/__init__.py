"""Search the shards of a collection on the nodes of a Ray cluster, and rank in this process."""

from indexing.search.cluster.shard_cluster import ShardCluster

__all__ = ["ShardCluster"]
