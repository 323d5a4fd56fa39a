"""The public face of `indexing`: files -> elements with exact boxes -> LanceDB; heavy imports wait for first use."""

import os
from typing import TYPE_CHECKING

# Both are read once, when the library is first imported, here or in a worker. ONNX Runtime's wheels report to Microsoft
# unless told not to; OpenBLAS on several threads makes the small products of MaxSim many times slower.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from indexing.collection import Collection, annotate_document
from indexing.crops import crop
from indexing.embed import QueryVectors, RegionVectors, probe_text, probe_visual
from indexing.errors import (
    CollectionError,
    CollectionLocked,
    CollectionMissing,
    DocumentMissing,
    EncryptedFile,
    FileError,
    IndexingCancelled,
    IndexingError,
    NoVisualEmbedder,
    PageCrash,
    PageTimeout,
)
from indexing.hints import NUMBERED_NAME, Hints, Landmarks, numbered_name
from indexing.ingest import Failure, FileReport, IndexReport, Progress
from indexing.late import late
from indexing.settings import IndexingSettings, Mode, SearchSettings, default_home
from indexing.store import list_collections
from indexing.types import (
    SILENT_KINDS,
    BBox,
    Cell,
    Document,
    Element,
    Found,
    Hit,
    Mark,
    MarkedPdf,
    Mismatch,
    Page,
    PageHit,
    ParsedPage,
    Region,
    Words,
    layer_lines,
)

if TYPE_CHECKING:
    from indexing.ingest import build_index, picture_of, text_of

__all__ = [
    "NUMBERED_NAME",
    "SILENT_KINDS",
    "BBox",
    "Cell",
    "Collection",
    "CollectionError",
    "CollectionLocked",
    "CollectionMissing",
    "Document",
    "DocumentMissing",
    "Element",
    "EncryptedFile",
    "Failure",
    "FileError",
    "FileReport",
    "Found",
    "Hints",
    "Hit",
    "IndexReport",
    "IndexingCancelled",
    "IndexingError",
    "IndexingSettings",
    "Landmarks",
    "Mark",
    "MarkedPdf",
    "Mismatch",
    "Mode",
    "NoVisualEmbedder",
    "Page",
    "PageCrash",
    "PageHit",
    "PageTimeout",
    "ParsedPage",
    "Progress",
    "QueryVectors",
    "Region",
    "RegionVectors",
    "SearchSettings",
    "Words",
    "annotate_document",
    "build_index",
    "crop",
    "default_home",
    "layer_lines",
    "list_collections",
    "numbered_name",
    "picture_of",
    "probe_text",
    "probe_visual",
    "text_of",
]


__getattr__ = late(__name__, dict.fromkeys(("build_index", "picture_of", "text_of"), "ingest"))
