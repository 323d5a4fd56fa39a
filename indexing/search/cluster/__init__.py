"""Shards on the nodes of a Ray cluster: an actor searches each, where it lies, and this process ranks as ever."""

from indexing.search.cluster.shard_cluster import ShardCluster

__all__ = ["ShardCluster"]
