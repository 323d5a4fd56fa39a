"""Treat the databases of a sharded collection as one."""

from indexing.store.shards.sharded_store import ShardedStore, database_places, open_store

__all__ = ["ShardedStore", "database_places", "open_store"]
