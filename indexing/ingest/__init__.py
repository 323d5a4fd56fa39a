"""Ingest: files are found, parsed in workers, embedded and published, and a report tells the outcome of each."""

from typing import TYPE_CHECKING

from indexing.ingest.report import Failure, FileReport, IndexReport, Progress
from indexing.late import late

if TYPE_CHECKING:
    from indexing.ingest.attachment import picture_of, text_of
    from indexing.ingest.files import find_files
    from indexing.ingest.pipeline import build_index

__all__ = [
    "Failure",
    "FileReport",
    "IndexReport",
    "Progress",
    "build_index",
    "find_files",
    "picture_of",
    "text_of",
]

__getattr__ = late(
    __name__, {"build_index": "pipeline", "find_files": "files", "picture_of": "attachment", "text_of": "attachment"}
)
