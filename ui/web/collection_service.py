"""The work of the Collections tab on collections: read files into them, look at them, take out, give back space.

It knows nothing of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from indexing import (
    Collection,
    Document,
    Element,
    IndexingError,
    IndexingSettings,
    IndexReport,
    Page,
    Progress,
    build_index,
)
from ui.errors import NotYours
from ui.settings import UiSettings
from ui.state.people import EVERYTHING, acting

if TYPE_CHECKING:
    from ui.web.open_collections import OpenCollections

_A4 = (595.0, 842.0)
"""The size in points that is assumed of a page that could not be read."""


@dataclass(frozen=True, slots=True)
class CollectionSummary:
    """A collection at a glance: `trouble` says why it cannot be opened, all else is empty then."""

    name: str
    documents: tuple[Document, ...] = ()
    bytes: int = 0
    embedder: str = ""
    visual: str = ""
    trouble: str = ""

    @property
    def pages(self) -> int:
        """The pages of all documents."""
        return sum(d.n_pages for d in self.documents)

    @property
    def elements(self) -> int:
        """The elements of all documents."""
        return sum(d.n_elements for d in self.documents)

    @property
    def changed(self) -> str:
        """The time when a document came last, in ISO form; "" for an empty collection."""
        return max((d.indexed_at for d in self.documents), default="")


@dataclass(frozen=True, slots=True)
class PageDetail:
    """A page with the elements found on it, groups last."""

    document: Document
    page: Page
    elements: tuple[Element, ...]


class CollectionService:
    """The collections of one running page."""

    def __init__(self, open_collections: OpenCollections, settings: UiSettings) -> None:
        """Keep the collections; `settings` say what the page allows."""
        self._open_collections = open_collections
        self.settings = settings

    @property
    def indexing(self) -> IndexingSettings:
        """The settings by which files become elements, as in the profile."""
        return self._open_collections.profile.indexing

    def read(
        self,
        name: str,
        paths: Sequence[Path],
        password: str | None,
        by_name: bool,
        account: str,
        tell: Callable[[Progress], None],
        cancel: threading.Event,
    ) -> IndexReport:
        """Read files that an account brought into a collection, made if absent, for an `UploadQueue`.

        They were let in by `admit` when they came. Raises IndexingError, OSError.
        """
        settings = self.settings.within(self.indexing)
        report = build_index(
            Collection.create(name, self._open_collections.home, settings=settings),
            paths,
            password=password,
            on_progress=tell,
            cancel=cancel,
            settings=settings,
            by_name=by_name,
            account=account,
        )
        if password and any(file.copy == "locked" for file in report.files):
            with acting(EVERYTHING), self._open_collections.opened(name) as (collection, _):
                collection.take_password(password)
        return report

    def admit(self, name: str) -> None:
        """Raise NotAllowed where whoever asks may not add documents to a collection of that name."""
        self._open_collections.admit(name)

    def unlock(self, name: str, password: str) -> tuple[Document, ...]:
        """Keep a password in memory until the page is stopped; return the documents it opens.

        Raises IndexingError, NotAllowed.
        """
        self._open_collections.require("editor", name)
        with self._open_collections.opened(name) as (collection, _):
            return collection.unlock(password)

    def summaries(self) -> tuple[CollectionSummary, ...]:
        """Return all collections, by name."""
        return tuple(self.summary(name) for name in self._open_collections.collections())

    def summary(self, name: str) -> CollectionSummary:
        """Return one collection; one that cannot be opened says why."""
        try:
            with self._open_collections.opened(name) as (collection, _):
                stats = collection.stats()
                return CollectionSummary(
                    name,
                    collection.documents(),
                    int(stats["database_bytes"]) + int(stats["source_bytes"]),
                    str(stats["embedder"]),
                    str(stats["visual"]),
                )
        except IndexingError as error:
            return CollectionSummary(name, trouble=str(error))

    def kinds(self, name: str) -> dict[str, int]:
        """Count the elements of each kind in a collection. Raises IndexingError."""
        with self._open_collections.opened(name) as (collection, _):
            return collection.kinds()

    def page_detail(self, name: str, doc_id: str, number: int) -> PageDetail:
        """Return a page of a document; the nearest one where there is no such number. Raises IndexingError."""
        with self._open_collections.opened(name) as (collection, _):
            document = collection.document(doc_id)
            number = min(max(1, number), document.n_pages)
            if number in document.failed_pages:
                return PageDetail(document, Page(doc_id, number, *_A4), ())
            return PageDetail(document, collection.page(doc_id, number), collection.page_elements(doc_id, number))

    def remove(self, name: str, doc_id: str) -> Document:
        """Take a document out of a collection. Raises IndexingError, NotAllowed."""
        self._open_collections.require("editor", name)
        with self._open_collections.opened(name) as (collection, _):
            return collection.remove(doc_id)

    def delete(self, name: str) -> None:
        """Delete a whole collection. Raises IndexingError, NotAllowed, OSError."""
        self._open_collections.require("owner", name)
        with self._open_collections.opened(name) as (collection, _):
            collection.delete()
        self._open_collections.deleted(name)

    def compact(self, name: str) -> tuple[int, int]:
        """Give back disk space; return the bytes before and after. Raises IndexingError, NotAllowed."""
        self._open_collections.require("editor", name)
        with self._open_collections.opened(name) as (collection, _):
            return collection.compact()

    def folder(self, path: str) -> Path:
        """Return a folder of this machine that may be read, links resolved. Raises NotYours, naming allowed ones."""
        allowed = [folder.resolve() for folder in self.settings.folders]
        with suppress(OSError, RuntimeError, ValueError):  # a name that no disk has, an unknown ~user, links in a ring
            wanted = Path(path).expanduser()
            found = wanted.resolve()
            own = any(found == folder or folder in found.parents for folder in allowed)
            if wanted.is_absolute() and own and found.is_dir():
                return found
        names = ", ".join(map(str, self.settings.folders)) or "none"
        raise NotYours(f"is no folder that may be read from the page (folders in the settings: {names})")
