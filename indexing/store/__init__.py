"""Store collections in LanceDB: tables, rows and schemas, and the lock of the only writer."""

from typing import TYPE_CHECKING

from indexing.lazy_imports import lazy_names, leave_unloaded
from indexing.store.caches import KnowledgeTable
from indexing.store.home import RECORD, key_of_copy, list_collections, place_of, read_record, write_lock, write_record
from indexing.store.versions import (
    PendingVersion,
    RecordWatch,
    activate_version,
    drop_version,
    next_version,
    tables_place,
    tidy,
)

if TYPE_CHECKING:
    from indexing.store.database import Store
    from indexing.store.lance import Rows, TableVersion, newest_version, write_plain_table
    from indexing.store.multivectors import PageRows, embed_page, visual_rows
    from indexing.store.rows import COLUMNS
    from indexing.store.snapshot import Snapshot
    from indexing.store.writer import Writer, prune


# LanceDB imports the client of a catalogue's server, which nobody here calls: 366 functions, each with a schema of its
# arguments, 1.3 of the 2.9 seconds that importing LanceDB takes on two cores.
leave_unloaded("lance_namespace_urllib3_client")
__getattr__ = lazy_names(
    __name__,
    {
        "COLUMNS": "rows",
        "PageRows": "multivectors",
        "Snapshot": "snapshot",
        "Store": "database",
        "TableVersion": "lance",
        "Writer": "writer",
        "embed_page": "multivectors",
        "visual_rows": "multivectors",
        "newest_version": "lance",
        "prune": "writer",
        "Rows": "lance",
        "write_plain_table": "lance",
    },
)
