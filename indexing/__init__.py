"""Index files: parse them into elements with exact boxes, embed these, store them in LanceDB, and search."""

import os
from typing import TYPE_CHECKING

# Both are read once, when the library is first imported, here or in a worker. ONNX Runtime's wheels report to Microsoft
# unless told not to; OpenBLAS on several threads makes the small products of MaxSim many times slower.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from indexing.collection import Collection, annotate_document
from indexing.conversion import cited_place
from indexing.crops import crop
from indexing.current_version import unreadable_collections
from indexing.deferred_reading import VerifiedPage, read_pixels, unread_pixels, verify_ahead
from indexing.embed import QueryVectors, RegionVectors, probe_text, probe_visual
from indexing.errors import (
    BackupUnreadable,
    BadFilter,
    BadSetting,
    BadSidecar,
    CheckpointMissing,
    CheckpointUnfit,
    CollectionDamaged,
    CollectionError,
    CollectionLocked,
    CollectionMissing,
    CollectionThere,
    DamagedFile,
    DiskFull,
    DocumentMissing,
    EncryptedFile,
    ExtraMissing,
    FileError,
    FileMissing,
    IndexingCancelled,
    IndexingError,
    LibraryUnreadable,
    NoPages,
    NothingFits,
    NotReadable,
    NoVisualEmbedder,
    PageCrash,
    PageTimeout,
    TooLarge,
    UnsupportedFile,
)
from indexing.filters import facets_of, parse_filter
from indexing.hints import NUMBERED_NAME, Hints, numbered_name, option_named, options_of
from indexing.identifiers import COLLECTION_NAME, is_collection_name, is_sha256, relative_path, sha256_digest
from indexing.ingest import Failure, FileReport, IndexReport, Progress, SourceFiles, UnreadFile
from indexing.lazy_imports import lazy_names
from indexing.metadata import FileRecords, Metadata
from indexing.processors import cores
from indexing.public_network import Resolve, addresses_of, may_be_asked
from indexing.settings import IndexingSettings, Mode, SearchSettings, default_home
from indexing.storage import Home
from indexing.store import list_collections
from indexing.types import (
    SILENT_KINDS,
    BBox,
    Cell,
    Document,
    Element,
    Found,
    Hit,
    Kind,
    Mark,
    MarkedPdf,
    Mismatch,
    Page,
    ParsedPage,
    Region,
    Words,
    layer_lines,
)
from indexing.typography import (
    RAISED_DIGITS,
    RAISED_LETTERS,
    STRUCK_END,
    spell,
    struck_out,
    to_superscript,
    without_struck,
)

if TYPE_CHECKING:
    from indexing.ingest import (
        FilePages,
        annotate_file,
        build_index,
        clean_tag,
        folder_records,
        language_of,
        pages_of,
        printed_pages,
        read_attachment,
    )
    from indexing.parse import PrintedPage, PrintedWord, heads_term
    from indexing.reindex import discard_reindex, reindex_collection

__all__ = [
    "COLLECTION_NAME",
    "NUMBERED_NAME",
    "RAISED_DIGITS",
    "RAISED_LETTERS",
    "SILENT_KINDS",
    "STRUCK_END",
    "BBox",
    "BackupUnreadable",
    "BadFilter",
    "BadSetting",
    "BadSidecar",
    "Cell",
    "CheckpointMissing",
    "CheckpointUnfit",
    "Collection",
    "CollectionDamaged",
    "CollectionError",
    "CollectionLocked",
    "CollectionMissing",
    "CollectionThere",
    "DamagedFile",
    "DiskFull",
    "Document",
    "DocumentMissing",
    "Element",
    "EncryptedFile",
    "ExtraMissing",
    "Failure",
    "FileError",
    "FileMissing",
    "FilePages",
    "FileRecords",
    "FileReport",
    "Found",
    "Hints",
    "Hit",
    "Home",
    "IndexReport",
    "IndexingCancelled",
    "IndexingError",
    "IndexingSettings",
    "Kind",
    "LibraryUnreadable",
    "Mark",
    "MarkedPdf",
    "Metadata",
    "Mismatch",
    "Mode",
    "NoPages",
    "NoVisualEmbedder",
    "NotReadable",
    "NothingFits",
    "Page",
    "PageCrash",
    "PageTimeout",
    "ParsedPage",
    "PrintedPage",
    "PrintedWord",
    "Progress",
    "QueryVectors",
    "Region",
    "RegionVectors",
    "Resolve",
    "SearchSettings",
    "SourceFiles",
    "TooLarge",
    "UnreadFile",
    "UnsupportedFile",
    "VerifiedPage",
    "Words",
    "addresses_of",
    "annotate_document",
    "annotate_file",
    "build_index",
    "cited_place",
    "clean_tag",
    "cores",
    "crop",
    "default_home",
    "discard_reindex",
    "facets_of",
    "folder_records",
    "heads_term",
    "is_collection_name",
    "is_sha256",
    "language_of",
    "layer_lines",
    "list_collections",
    "may_be_asked",
    "numbered_name",
    "option_named",
    "options_of",
    "pages_of",
    "parse_filter",
    "printed_pages",
    "probe_text",
    "probe_visual",
    "read_attachment",
    "read_pixels",
    "reindex_collection",
    "relative_path",
    "sha256_digest",
    "spell",
    "struck_out",
    "to_superscript",
    "unread_pixels",
    "unreadable_collections",
    "verify_ahead",
    "without_struck",
]


_LATE = dict.fromkeys(
    ("FilePages", "annotate_file", "build_index", "clean_tag", "folder_records", "language_of",
     "pages_of", "printed_pages", "read_attachment"),
    "ingest",
)  # fmt: skip
_LATE |= dict.fromkeys(("PrintedPage", "PrintedWord", "heads_term"), "parse")
_LATE |= dict.fromkeys(("discard_reindex", "reindex_collection"), "reindex")
__getattr__ = lazy_names(__name__, _LATE)
