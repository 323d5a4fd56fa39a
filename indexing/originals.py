"""The copies of the indexed files: a page drawn, a document marked up, in processes that can be killed."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from indexing.errors import DocumentMissing
from indexing.settings import IndexingSettings
from indexing.types import Document, Mark

if TYPE_CHECKING:
    from PIL import Image

    from indexing.workers import Workers


class Originals:
    """The source copies of a collection, in `folder`, each named by its sha256."""

    def __init__(self, folder: Path, settings: IndexingSettings) -> None:
        """Keep the folder, and the settings that limit time and memory of drawing."""
        self.folder = folder
        self._settings = settings

    def path(self, document: Document) -> Path:
        """Return the copy of a document. Raises DocumentMissing where it is gone."""
        found = next(self.folder.glob(f"{document.sha256}.*"), None)
        if found is None:
            raise DocumentMissing(f"the copy of {document.name} is gone from {self.folder}: index it again")
        return found

    def draw(self, document: Document, page: int, width: int) -> Image.Image:
        """Return the displayed page in RGB, `width` pixels wide.

        Raises DocumentMissing, or the FileError that drawing ran into.
        """
        from PIL import Image

        from indexing.workers import Job

        self._check_page(document, page)
        png = self._drawer.draw(Job(self.path(document), None, self._settings), page, width)
        return Image.open(BytesIO(png)).convert("RGB")

    def annotate(self, document: Document, marks: Sequence[Mark]) -> bytes:
        """Return a document as a PDF with `marks` on its pages.

        Raises DocumentMissing, for a page too, or the FileError that the worker ran into (time and memory are limited).
        """
        from indexing.workers import Job, Workers

        for mark in marks:
            self._check_page(document, mark.page)
        with Workers(1, self._settings) as workers:
            return workers.annotate(Job(self.path(document), None, self._settings), tuple(marks))

    def close(self) -> None:
        """End the process that draws pages, if one was started."""
        if "_drawer" in self.__dict__:
            self.__dict__.pop("_drawer").stop()

    @staticmethod
    def _check_page(document: Document, page: int) -> None:
        if not 1 <= page <= document.n_pages:
            raise DocumentMissing(f"{document.name} has {document.n_pages} pages, there is no page {page}")

    @cached_property
    def _drawer(self) -> Workers:
        from indexing.workers import Workers

        workers = Workers(1, self._settings)
        weakref.finalize(self, workers.stop)
        return workers
