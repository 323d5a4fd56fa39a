"""Read the metadata beside files, detect changes in a folder, and keep a collection in step with it."""

from typing import TYPE_CHECKING

from indexing.ingest.folders.changes import FolderChange, FolderLook, FolderState
from indexing.ingest.folders.sidecars import FolderRecords, clean_tag, folder_records, records_of
from indexing.late import late

if TYPE_CHECKING:
    from indexing.ingest.folders.watch import FolderFollower, FolderNotice

__all__ = [
    "FolderChange",
    "FolderFollower",
    "FolderLook",
    "FolderNotice",
    "FolderRecords",
    "FolderState",
    "clean_tag",
    "folder_records",
    "records_of",
]

__getattr__ = late(__name__, dict.fromkeys(("FolderFollower", "FolderNotice"), "watch"))
