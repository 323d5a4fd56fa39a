"""Files -> elements with exact boxes -> LanceDB. The public face; nothing heavy is imported before it is used."""

import os
from typing import TYPE_CHECKING

# Both are read once, when the library is first imported, here or in a worker. ONNX Runtime's wheels report to Microsoft
# unless told not to; OpenBLAS on several threads makes the small products of MaxSim many times slower.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from indexing.collection import Collection, list_collections
from indexing.errors import (
    CollectionError,
    CollectionLocked,
    CollectionMissing,
    DocumentMissing,
    FileError,
    IndexingCancelled,
    IndexingError,
)
from indexing.report import Failure, FileReport, IndexReport, Progress
from indexing.settings import IndexingSettings, default_home
from indexing.types import BBox, Cell, Document, Element, Found, Hit, Page, ParsedPage, Words

if TYPE_CHECKING:
    from indexing.pipeline import build_index

__all__ = [
    "BBox",
    "Cell",
    "Collection",
    "CollectionError",
    "CollectionLocked",
    "CollectionMissing",
    "Document",
    "DocumentMissing",
    "Element",
    "Failure",
    "FileError",
    "FileReport",
    "Found",
    "Hit",
    "IndexReport",
    "IndexingCancelled",
    "IndexingError",
    "IndexingSettings",
    "Page",
    "ParsedPage",
    "Progress",
    "Words",
    "build_index",
    "default_home",
    "list_collections",
]


def __getattr__(name: str) -> object:
    """`build_index` pulls in the parsers: load them when it is asked for."""
    if name == "build_index":
        from indexing.pipeline import build_index

        return build_index
    raise AttributeError(name)
