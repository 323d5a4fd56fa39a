"""Track the versions of a collection's tables: the current one, the next one, and obsolete ones."""

from indexing.store.versions.pending import PendingVersion
from indexing.store.versions.record_watch import RecordWatch
from indexing.store.versions.tables import drop_version, next_version, put_in_place, tables_place, tidy

__all__ = [
    "PendingVersion",
    "RecordWatch",
    "drop_version",
    "next_version",
    "put_in_place",
    "tables_place",
    "tidy",
]
