"""Index files into a collection: find, parse in workers, embed, publish, and report the outcome of each."""

from typing import TYPE_CHECKING

from indexing.ingest.report import Failure, FileReport, IndexReport, Progress, SourceFiles, UnreadFile
from indexing.late import late

if TYPE_CHECKING:
    from indexing.ingest.attachment import FilePages, annotate_file, pages_of, printed_pages, read_attachment
    from indexing.ingest.changes import FolderChange, FolderLook
    from indexing.ingest.files import find_files
    from indexing.ingest.interrupt import held_interrupt
    from indexing.ingest.language import language_of
    from indexing.ingest.pipeline import build_index
    from indexing.ingest.sidecars import clean_tag, folder_records
    from indexing.ingest.watch import FolderFollower, FolderNotice

__all__ = [
    "Failure",
    "FilePages",
    "FileReport",
    "FolderChange",
    "FolderFollower",
    "FolderLook",
    "FolderNotice",
    "IndexReport",
    "Progress",
    "SourceFiles",
    "UnreadFile",
    "annotate_file",
    "build_index",
    "clean_tag",
    "find_files",
    "folder_records",
    "held_interrupt",
    "language_of",
    "pages_of",
    "printed_pages",
    "read_attachment",
]

__getattr__ = late(
    __name__,
    {
        "build_index": "pipeline",
        "find_files": "files",
        "held_interrupt": "interrupt",
        "language_of": "language",
        **dict.fromkeys(("FolderChange", "FolderLook"), "changes"),
        **dict.fromkeys(("clean_tag", "folder_records"), "sidecars"),
        **dict.fromkeys(("FolderFollower", "FolderNotice"), "watch"),
        **dict.fromkeys(("FilePages", "annotate_file", "pages_of", "printed_pages", "read_attachment"), "attachment"),
    },
)
