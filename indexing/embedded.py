"""Pages that a slow embedder has done, kept until their document is complete: a killed run does not do them again.

One file a page, named by a hash of what the embedder saw of it, so that it means the same whatever run, file or place
the page comes from. Written whole or not at all; deleted when the document is published, and by `vouch compact`.
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

from indexing.embed.protocol import RegionVectors
from indexing.home import write_error
from indexing.passages import passage
from indexing.rows import SILENT_KINDS
from indexing.types import BBox, ParsedPage


class Embedded:
    """The pages in `folder`, which is made when there is one to keep."""

    def __init__(self, folder: Path) -> None:
        """Nothing is read yet."""
        self._folder = folder

    def find(self, key: str) -> RegionVectors | None:
        """What was kept under `key_of` a page; None when there is nothing, or nothing whole."""
        try:
            with (self._folder / f"{key}.npz").open("rb") as file, np.load(file, allow_pickle=False) as kept:
                vectors, counts, boxes = kept["vectors"], kept["counts"], kept["boxes"]
                owners = kept.get("owners")
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
            return None
        return RegionVectors(vectors, counts, tuple(BBox(*map(float, box)) for box in boxes), owners)

    def keep(self, key: str, seen: RegionVectors) -> None:
        """Keep a page. Raises DiskFull."""
        part = self._folder / f"{key}.{os.getpid()}.part"
        boxes = np.array([box.as_tuple() for box in seen.boxes], np.float64).reshape(-1, 4)
        arrays: dict[str, Any] = {"vectors": seen.vectors, "counts": seen.counts, "boxes": boxes}
        if seen.owners is not None:
            arrays["owners"] = seen.owners
        try:
            self._folder.mkdir(exist_ok=True)
            with part.open("wb") as file:
                np.savez(file, **arrays)
            part.replace(self._folder / f"{key}.npz")
        except OSError as error:
            part.unlink(missing_ok=True)
            raise write_error(part, error) from error

    def forget(self, key: str) -> None:
        """The page is stored: what was kept of it is not needed any more."""
        (self._folder / f"{key}.npz").unlink(missing_ok=True)

    def clear(self) -> None:
        """Delete everything, also what runs left that nobody went on with."""
        shutil.rmtree(self._folder, ignore_errors=True)


def key_of(parsed: ParsedPage) -> str:
    """A hash of all that an embedder sees of a page: its pixels, the texts and the boxes of its elements."""
    seen = hashlib.sha256(parsed.image)
    for element in parsed.elements:
        if element.kind not in SILENT_KINDS:
            seen.update(f"\0{element.kind}{element.bbox.as_tuple()}{passage(element)}".encode("utf-8", "replace"))
    return seen.hexdigest()[:40]
