"""Read the pages that a pack cites again, from their documents in a folder or from their pictures in the pack.

A worker process with the limits of indexing does it. A document is known by its SHA-256, whatever its file is called.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from io import BytesIO
from itertools import islice
from pathlib import Path, PurePath

from PIL import Image

from indexing import Element, IndexingSettings
from indexing.parse import identify
from indexing.workers import Job, Workers
from plugins.evidence.manifest import PackedDocument

SETTINGS = IndexingSettings(visual="none")
"""The settings that pages are read with, those of indexing."""
MOST_LOOKED_AT = 200_000
"""The most files of a folder that are looked at for documents."""


class PageReader:
    """A reader of the pages of files. `folder` is an empty one for links to documents and for pictures."""

    def __init__(self, workers: Workers, folder: Path) -> None:
        """Keep workers and folder; each file is opened once, at its first page."""
        self._workers, self.folder = workers, folder
        self._job = lru_cache(maxsize=None)(self._open)

    def link_to(self, source: Path, document: PackedDocument) -> Path:
        """Return a link to a file whose name has the suffix of its document, by which its format is known."""
        suffix = PurePath(document.name).suffix.lower()
        target = self.folder / (document.sha256 + (suffix if re.fullmatch(r"\.[a-z]{1,8}", suffix) else ""))
        target.symlink_to(source.resolve())
        return target

    def _open(self, path: Path) -> Job:
        identify(path, SETTINGS)
        job = Job(path, None, SETTINGS)
        return replace(job, pages=self._workers.wait_for_file(self._workers.open(job), job).pages)

    def elements(self, path: Path, number: int) -> tuple[Element, ...]:
        """Return the elements of page `number` (from 1) of a file, as indexing reads it. Raises FileError."""
        job = self._job(path)
        return self._workers.wait_for_page(self._workers.parse(job, number, "verified"), job, number).elements

    def draw(self, path: Path, number: int, width: int) -> Image.Image:
        """Return page `number` (from 1) in RGB, `width` pixels wide. Raises FileError."""
        return Image.open(BytesIO(self._workers.draw(self._job(path), number, width))).convert("RGB")


def find_documents(folder: Path, documents: Sequence[PackedDocument]) -> dict[str, Path]:
    """Return the paths of the documents that are in a folder or below it, by their SHA-256."""
    sizes, digests = {document.size for document in documents}, {document.sha256 for document in documents}
    paths = (Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
    paths_by_sha256: dict[str, Path] = {}
    for path in islice(paths, MOST_LOOKED_AT):
        with contextlib.suppress(OSError):
            if path.is_file() and (0 in sizes or path.stat().st_size in sizes):
                with path.open("rb") as file:
                    paths_by_sha256.setdefault(hashlib.file_digest(file, "sha256").hexdigest(), path)
    return {digest: path for digest, path in paths_by_sha256.items() if digest in digests}
