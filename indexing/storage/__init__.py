"""Store a collection's files in a folder or an object store, with a local cache of the latter."""

from indexing.storage.cache import CachedFile, CacheView, LocalCache, cache_folder
from indexing.storage.folder import FolderRoot, write_error
from indexing.storage.lease import WriterLease
from indexing.storage.objects import ObjectRoot
from indexing.storage.probe import probe_store
from indexing.storage.root import SCHEMES, Home, StorageRoot, StoredFile, as_root, is_remote, machine_folder, root_of
from indexing.storage.wire import redact, refusal, table_settings

__all__ = [
    "SCHEMES",
    "CacheView",
    "CachedFile",
    "FolderRoot",
    "Home",
    "LocalCache",
    "ObjectRoot",
    "StorageRoot",
    "StoredFile",
    "WriterLease",
    "as_root",
    "cache_folder",
    "is_remote",
    "machine_folder",
    "probe_store",
    "redact",
    "refusal",
    "root_of",
    "table_settings",
    "write_error",
]
