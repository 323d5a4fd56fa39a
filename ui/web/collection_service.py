"""The operations of the Collections tab on collections: read files into them, show, remove, delete, compact.

Independent of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from indexing import (
    Collection,
    Document,
    Element,
    Failure,
    FileError,
    FilePages,
    FileReport,
    IndexingError,
    IndexingSettings,
    IndexReport,
    Page,
    Progress,
    build_index,
    list_collections,
    unread_pixels,
)
from ui.access import EVERYTHING, Change, Outcome, Role, Space, acting
from ui.errors import NotYours, OverSpace
from ui.settings import UiSettings
from ui.show import public_words
from ui.web.open_collections import page_name

if TYPE_CHECKING:
    from ui.web.open_collections import OpenCollections

_A4 = (595.0, 842.0)
"""The size in points that is assumed of a page that could not be read."""


@dataclass(frozen=True, slots=True)
class CollectionSummary:
    """A collection at a glance; `trouble` says why it cannot be opened, and then all but the name is empty.

    `reads_pixels` is True while the pixels of some pages are still to be embedded.
    """

    name: str
    documents: tuple[Document, ...] = ()
    bytes: int = 0
    embedder: str = ""
    visual: str = ""
    trouble: str = ""
    reads_pixels: bool = False

    @property
    def pages(self) -> int:
        """The number of pages of all documents."""
        return sum(d.n_pages for d in self.documents)

    @property
    def elements(self) -> int:
        """The number of elements of all documents."""
        return sum(d.n_elements for d in self.documents)

    @property
    def last_change(self) -> str:
        """The time when a document was last indexed, in ISO form; "" for an empty collection."""
        return max((d.indexed_at for d in self.documents), default="")


@dataclass(frozen=True, slots=True)
class PageDetail:
    """A page with its elements, groups last, and the headings of the whole document in reading order."""

    document: Document
    page: Page
    elements: tuple[Element, ...]
    headings: tuple[Element, ...] = ()


def _reading_order(element: Element) -> tuple[int, int]:
    """Return a sort key: the page of an element, and its number on the page, with which its id ends."""
    number = element.id.rpartition("-")[2]
    return element.page, int(number) if number.isdigit() else 0


class CollectionService:
    """The collections of one running page."""

    def __init__(self, open_collections: OpenCollections, settings: UiSettings) -> None:
        """Keep the collections; `settings` have the limits of the page."""
        self._open_collections = open_collections
        self.settings = settings

    @property
    def indexing(self) -> IndexingSettings:
        """The profile's settings for indexing."""
        return self._open_collections.profile.indexing

    def read(
        self,
        name: str,
        paths: Sequence[Path],
        password: str | None,
        by_name: bool,
        account: str,
        on_progress: Callable[[Progress], None],
        cancel: threading.Event,
    ) -> IndexReport:
        """Index files that an account uploaded into a collection, created if absent; the `Reader` of an `UploadQueue`.

        `admit` has checked that they may be added. Raises IndexingError, OSError.
        """
        settings = self.settings.cap_settings(self.indexing)
        exists = name in list_collections(self._open_collections.home)
        collection = Collection.create(name, self._open_collections.home, settings=settings)
        if not exists:
            self._open_collections.access.grant_ownership(name)
        settings = settings.with_values(
            pixels="images"
        )  # idle looks read the pixels, so that the next file need not wait
        build = partial(
            build_index,
            collection,
            password=password,
            on_progress=on_progress,
            cancel=cancel,
            settings=settings,
            by_name=by_name,
            account=account,
        )
        if self._open_collections.access.limits_space(account):
            report = self._read_within_quotas(name, paths, account, password, build)
        else:
            report = build(paths)
        for file in report.files:
            if file.status != "skipped":
                over_quota = any(failure.error == "OverSpace" for failure in file.failures)
                outcome: Outcome = "refused" if over_quota else "failed" if file.status == "failed" else "done"
                self._open_collections.access.note("add-document", name, file.name, outcome)
        if password and any(file.copy == "locked" for file in report.files):
            with acting(EVERYTHING), self._open_collections.open_collection(name) as (collection, _):
                collection.take_password(password)
        return report

    def check_room(self, name: str, account: str, size: int = 0, own: int = 0) -> None:
        """Raise OverSpace if a collection has no room for `size` bytes more, or an account for `own` bytes more.

        With 0, if there is no room at all. The refusal is counted in the metrics, and written to the audit log.
        """
        if not self._open_collections.access.limits_space(account):
            return
        try:
            self._check_space(name, account, Space(size, own))
        except OverSpace:
            self._open_collections.access.note("add-document", name, outcome="refused")
            raise

    def _check_space(self, name: str, account: str, space: Space) -> None:
        try:
            with acting(EVERYTHING):
                self._open_collections.access.check_space(name, account, self._documents, space)
        except OverSpace as error:
            self._open_collections.metrics.over_quota(error.limit)
            raise

    def _documents(self, name: str | None) -> tuple[Document, ...]:
        """Return the documents of a collection, or of all for None; a collection that cannot be opened has none."""
        documents: list[Document] = []
        for one in self._open_collections.collections() if name is None else (name,):
            with suppress(IndexingError), self._open_collections.open_collection(one) as (collection, _):
                documents += collection.documents()
        return tuple(documents)

    def _read_within_quotas(
        self,
        name: str,
        paths: Sequence[Path],
        account: str,
        password: str | None,
        build: Callable[[Sequence[Path]], IndexReport],
    ) -> IndexReport:
        """Index files one after the other, each only if quotas have room for its pages and bytes; merge the reports."""
        reports: list[IndexReport] = []
        drawer = FilePages(self.settings.cap_settings(self.indexing))
        try:
            for path in paths:
                try:
                    with suppress(FileError, OSError):  # reading says what is wrong with it
                        size, pages = path.stat().st_size, drawer.count(path, password)
                        self._check_space(name, account, Space(size, size, pages))
                    reports.append(build([path]))
                except OverSpace as error:
                    failure = Failure(None, "OverSpace", f"{path.name}: {error}")
                    over = FileReport(str(path), path.name, "failed", failures=(failure,))
                    reports.append(IndexReport(name, (over,), 0.0))
                if reports[-1].cancelled:
                    break
        finally:
            drawer.close()
        files = tuple(file for report in reports for file in report.files)
        notes = tuple(dict.fromkeys(note for report in reports for note in report.notes))
        seconds = sum(report.seconds for report in reports)
        return IndexReport(name, files, seconds, any(report.cancelled for report in reports), notes)

    def admit(self, name: str) -> None:
        """Raise NotAllowed if the acting identity may not add documents to a collection of that name."""
        self._open_collections.admit(name)

    def unlock(self, name: str, password: str) -> tuple[Document, ...]:
        """Keep a password in memory until the page is stopped; return the documents it opens.

        Raises IndexingError, NotAllowed.
        """
        with self._changing("unlock-document", "editor", name) as collection:
            return collection.unlock(password)

    def summaries(self) -> tuple[CollectionSummary, ...]:
        """Return the summaries of all collections that the acting identity may read, by name."""
        return tuple(self.summary(name) for name in self._open_collections.collections())

    def summary(self, name: str) -> CollectionSummary:
        """Return the summary of a collection; its `trouble` says why it cannot be opened."""
        try:
            with self._open_collections.open_collection(name) as (collection, _):
                stats = collection.stats()
                return CollectionSummary(
                    name,
                    collection.documents(),
                    int(stats["database_bytes"]) + int(stats["source_bytes"]),
                    str(stats["embedder"]),
                    str(stats["visual"]),
                    reads_pixels=unread_pixels(collection) > 0,
                )
        except IndexingError as error:
            return CollectionSummary(name, trouble=public_words(error))

    def kinds(self, name: str) -> dict[str, int]:
        """Count the elements of each kind in a collection. Raises IndexingError."""
        with self._open_collections.open_collection(name) as (collection, _):
            return collection.kinds()

    def page_detail(self, name: str, doc_id: str, number: int) -> PageDetail:
        """Return a page of a document, the nearest one if there is no such number. Raises IndexingError."""
        logged_name = page_name(doc_id, number)
        with self._open_collections.open_collection(name, "see-page", logged_name) as (collection, _):
            document = collection.document(doc_id)
            number = min(max(1, number), document.n_pages)
            headings = tuple(sorted(collection.outlines(kind="heading", doc_id=doc_id), key=_reading_order))
            if number in document.failed_pages:
                return PageDetail(document, Page(doc_id, number, *_A4), (), headings)
            page, elements = collection.page(doc_id, number), collection.page_elements(doc_id, number)
            return PageDetail(document, page, elements, headings)

    def remove(self, name: str, doc_id: str) -> Document:
        """Remove a document from a collection, and return it. Raises IndexingError, NotAllowed."""
        with self._changing("remove-document", "editor", name, doc_id) as collection:
            return collection.remove(doc_id)

    def delete(self, name: str) -> None:
        """Delete a whole collection. Raises IndexingError, NotAllowed, OSError."""
        with self._changing("delete-collection", "owner", name) as collection:
            collection.delete()
            self._open_collections.forget_deleted(name)

    def compact(self, name: str) -> tuple[int, int]:
        """Free disk space; return the bytes before and after. Raises IndexingError, NotAllowed."""
        with self._changing("compact", "editor", name) as collection:
            return collection.compact()

    @contextmanager
    def _changing(self, deed: Change, least: Role, name: str, thing: str = "") -> Iterator[Collection]:
        """Yield a collection to be changed, and log the change with its outcome. Raises as `require` does."""
        collections = self._open_collections
        with collections.access.record(deed, name, thing):
            collections.require(least, name, deed, thing)
            with collections.open_collection(name, deed) as (collection, _):
                yield collection

    def folder(self, path: str) -> Path:
        """Return a folder that the settings allow to be read, links resolved. Raises NotYours, naming those allowed."""
        allowed_folders = [folder.resolve() for folder in self.settings.folders]
        with suppress(OSError, RuntimeError, ValueError):  # a name that no disk has, an unknown ~user, links in a ring
            folder_path = Path(path).expanduser()
            real_path = folder_path.resolve()
            own = any(real_path == folder or folder in real_path.parents for folder in allowed_folders)
            if folder_path.is_absolute() and own and real_path.is_dir():
                return real_path
        names = ", ".join(map(str, self.settings.folders)) or "none"
        raise NotYours(f"is not a folder that may be read from the page (folders in the settings: {names})")
