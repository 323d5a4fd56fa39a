"""Files -> elements with exact boxes -> LanceDB. The public face; nothing heavy is imported before it is used."""

import os
from typing import TYPE_CHECKING

# Both are read once, when the library is first imported, here or in a worker. ONNX Runtime's wheels report to Microsoft
# unless told not to; OpenBLAS on several threads makes the small products of MaxSim many times slower.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from indexing.annotate import Mark, annotate_document
from indexing.collection import Collection
from indexing.embed.protocol import QueryVectors, RegionVectors
from indexing.errors import (
    CollectionError,
    CollectionLocked,
    CollectionMissing,
    DocumentMissing,
    FileError,
    IndexingCancelled,
    IndexingError,
    NoVisualEmbedder,
)
from indexing.home import list_collections
from indexing.landmarks import NUMBERED_NAME, numbered_name
from indexing.probe import probe_text, probe_visual
from indexing.report import Failure, FileReport, IndexReport, Progress
from indexing.settings import IndexingSettings, Mode, SearchSettings, default_home
from indexing.types import BBox, Cell, Document, Element, Found, Hints, Hit, Page, PageHit, ParsedPage, Region, Words

if TYPE_CHECKING:
    from indexing.attached import picture_of, text_of
    from indexing.pipeline import build_index

__all__ = [
    "NUMBERED_NAME",
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
    "Hints",
    "Hit",
    "IndexReport",
    "IndexingCancelled",
    "IndexingError",
    "IndexingSettings",
    "Mark",
    "Mode",
    "NoVisualEmbedder",
    "Page",
    "PageHit",
    "ParsedPage",
    "Progress",
    "QueryVectors",
    "Region",
    "RegionVectors",
    "SearchSettings",
    "Words",
    "annotate_document",
    "build_index",
    "default_home",
    "list_collections",
    "numbered_name",
    "picture_of",
    "probe_text",
    "probe_visual",
    "text_of",
]


def __getattr__(name: str) -> object:
    """What pulls in the parsers is loaded when it is asked for."""
    if name == "build_index":
        from indexing.pipeline import build_index

        return build_index
    if name in ("picture_of", "text_of"):
        from indexing import attached

        return getattr(attached, name)
    raise AttributeError(name)
