"""The shards of a collection: several databases as one."""

from indexing.store.shards.sharded_store import ShardedStore, open_store

__all__ = ["ShardedStore", "open_store"]
