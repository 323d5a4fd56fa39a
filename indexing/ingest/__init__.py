"""Index files into a collection: find, parse in workers, embed, publish, and report the outcome of each."""

from typing import TYPE_CHECKING

from indexing.ingest.report import Failure, FileReport, IndexReport, OnProgress, Progress, SourceFiles, UnreadFile
from indexing.lazy_imports import lazy_names

if TYPE_CHECKING:
    from indexing.ingest.attachment import FilePages, annotate_file, pages_of, printed_pages, read_attachment
    from indexing.ingest.files import FoundFile, find_files, sha256_of
    from indexing.ingest.language import language_of
    from indexing.ingest.pipeline import build_index, held_interrupt
    from indexing.ingest.sidecars import FOLDER_SIDECAR, clean_tag, folder_records, records_of


__getattr__ = lazy_names(
    __name__,
    {
        "build_index": "pipeline",
        **dict.fromkeys(("FoundFile", "find_files", "sha256_of"), "files"),
        "held_interrupt": "pipeline",
        "language_of": "language",
        **dict.fromkeys(("FOLDER_SIDECAR", "clean_tag", "folder_records", "records_of"), "sidecars"),
        **dict.fromkeys(("FilePages", "annotate_file", "pages_of", "printed_pages", "read_attachment"), "attachment"),
    },
)
