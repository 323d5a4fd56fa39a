"""Store a collection's files in a folder or an object store, with a local cache of the latter."""

from indexing.storage.cache import CachedFile, LocalCache, ProcessFolder, cache_folder
from indexing.storage.folder import FolderRoot, StoredFile, write_error
from indexing.storage.lease import WriterLease
from indexing.storage.objects import ObjectRoot, probe_store
from indexing.storage.root import Home, StorageRoot, as_root, is_remote, machine_folder, root_of
from indexing.storage.wire import redact, refusal, table_settings

__all__ = [
    "CachedFile",
    "FolderRoot",
    "Home",
    "LocalCache",
    "ObjectRoot",
    "ProcessFolder",
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
