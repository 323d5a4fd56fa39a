"""Track the versions of a collection's tables: the current one, the next one, and obsolete ones."""

from indexing.store.versions.pending import PendingVersion
from indexing.store.versions.record_watch import RecordWatch
from indexing.store.versions.tables import activate_version, drop_version, next_version, tables_place, tidy

__all__ = [
    "PendingVersion",
    "RecordWatch",
    "activate_version",
    "drop_version",
    "next_version",
    "tables_place",
    "tidy",
]
