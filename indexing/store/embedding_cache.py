"""The pages that a slow embedder has done, kept until their document is complete, so that a killed run resumes.

There is one file a page, named by a hash of the embedder's input, so that it means the same in any run, for any file
and place the page comes from. A file is written whole or not at all; it is deleted when the document is published, and
by `vouch compact`.
"""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from indexing.embed import RegionVectors, passage
from indexing.storage import StorageRoot, as_root
from indexing.types import SILENT_KINDS, BBox, ParsedPage


class EmbeddingCache:
    """The cached pages at `place`, which is created with the first page."""

    def __init__(self, place: StorageRoot | Path) -> None:
        """Keep the place; nothing is read yet."""
        self._place = as_root(place)

    def find(self, key: str) -> RegionVectors | None:
        """Return the regions cached under `key_of` a page; None if they are missing or damaged."""
        try:
            with np.load(BytesIO(self._place.read(f"{key}.npz")), allow_pickle=False) as arrays:
                vectors, counts, boxes = arrays["vectors"], arrays["counts"], arrays["boxes"]
                owners = arrays.get("owners")
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
            return None
        return RegionVectors(vectors, counts, tuple(BBox(*map(float, box)) for box in boxes), owners)

    def keep(self, key: str, regions: RegionVectors) -> None:
        """Keep a page. Raises DiskFull."""
        boxes = np.array([box.as_tuple() for box in regions.boxes], np.float64).reshape(-1, 4)
        arrays: dict[str, Any] = {"vectors": regions.vectors, "counts": regions.counts, "boxes": boxes}
        if regions.owners is not None:
            arrays["owners"] = regions.owners
        content = BytesIO()
        np.savez(content, **arrays)
        self._place.write(f"{key}.npz", content.getvalue())

    def forget(self, key: str) -> None:
        """Delete a page's file: it is stored now, and its copy here is not needed any more."""
        self._place.delete(f"{key}.npz")

    def clear(self) -> None:
        """Delete everything, also the files of runs that were never resumed."""
        self._place.clear()


def key_of(parsed: ParsedPage) -> str:
    """Hash all that an embedder sees of a page: its pixels, the texts and the boxes of its elements."""
    digest = hashlib.sha256(parsed.image)
    for element in parsed.elements:
        if element.kind not in SILENT_KINDS:
            digest.update(f"\0{element.kind}{element.bbox.as_tuple()}{passage(element)}".encode("utf-8", "replace"))
    return digest.hexdigest()[:40]
