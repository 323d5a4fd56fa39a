"""The pages that a slow embedder has done, kept until their document is complete, so that a killed run resumes.

There is one file a page, named by a hash of the embedder's input, so that it means the same in any run, for any file
and place the page comes from. A file is written whole or not at all; it is deleted when the document is published, and
by `vouch compact`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from indexing.embed import RegionVectors, passage
from indexing.store.home import write_error
from indexing.types import SILENT_KINDS, BBox, ParsedPage


class EmbeddingCache:
    """The pages in `folder`, which is made when there is one to keep."""

    def __init__(self, folder: Path) -> None:
        """Keep the folder; nothing is read yet."""
        self._folder = folder

    def find(self, key: str) -> RegionVectors | None:
        """Return the regions kept under `key_of` a page; None when there are none, or none whole."""
        try:
            with (self._folder / f"{key}.npz").open("rb") as file, np.load(file, allow_pickle=False) as kept:
                vectors, counts, boxes = kept["vectors"], kept["counts"], kept["boxes"]
                owners = kept.get("owners")
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
            return None
        return RegionVectors(vectors, counts, tuple(BBox(*map(float, box)) for box in boxes), owners)

    def keep(self, key: str, regions: RegionVectors) -> None:
        """Keep a page. Raises DiskFull."""
        part = self._folder / f"{key}.{os.getpid()}.part"
        boxes = np.array([box.as_tuple() for box in regions.boxes], np.float64).reshape(-1, 4)
        arrays: dict[str, Any] = {"vectors": regions.vectors, "counts": regions.counts, "boxes": boxes}
        if regions.owners is not None:
            arrays["owners"] = regions.owners
        try:
            self._folder.mkdir(exist_ok=True)
            with part.open("wb") as file:
                np.savez(file, **arrays)
            part.replace(self._folder / f"{key}.npz")
        except OSError as error:
            part.unlink(missing_ok=True)
            raise write_error(part, error) from error

    def forget(self, key: str) -> None:
        """Delete a page's file: it is stored now, and its copy here is not needed any more."""
        (self._folder / f"{key}.npz").unlink(missing_ok=True)

    def clear(self) -> None:
        """Delete everything, also the files of runs that were never resumed."""
        shutil.rmtree(self._folder, ignore_errors=True)


def key_of(parsed: ParsedPage) -> str:
    """Hash all that an embedder sees of a page: its pixels, the texts and the boxes of its elements."""
    digest = hashlib.sha256(parsed.image)
    for element in parsed.elements:
        if element.kind not in SILENT_KINDS:
            digest.update(f"\0{element.kind}{element.bbox.as_tuple()}{passage(element)}".encode("utf-8", "replace"))
    return digest.hexdigest()[:40]
