"""The one writer of a collection: embeds pages a batch at a time, buffers rows, publishes documents."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from indexing.conversion import PAGES_SUFFIX
from indexing.embed import PageEmbedder, TextEmbedder, VisualEmbedder
from indexing.metadata import Metadata
from indexing.storage import FolderRoot, as_root
from indexing.store.caches import EmbeddingCache
from indexing.store.database import ANEW, Store
from indexing.store.home import key_of_copy
from indexing.store.multivectors import PageRows, by_element, rows_of
from indexing.store.rows import MultiVector
from indexing.types import Document, ParsedPage

FLUSH_PAGES = 64
PUBLISH_SECONDS = 8.0
"""The most seconds that a finished document waits to be published, if batch and flush take as long as the last ones.

A kill should lose at most ten seconds of finished documents, so two are left for those that take longer.
"""
OPTIMIZE_EVERY = 40
"""The number of flushes between two compactions of a long run."""


class Writer:
    """The writer that `Collection.writer` yields under the lock. `sources` is the folder of source copies.

    `beside` are the documents of another version, whose copies are kept too. `renditions` is a folder for files
    converted during a run, empty at first.
    """

    def __init__(
        self,
        store: Store,
        text: TextEmbedder,
        visual: VisualEmbedder | None,
        sources: FolderRoot | Path,
        beside: Sequence[Document] = (),
    ) -> None:
        """Complete or delete the unfinished work of a killed run."""
        self._store = store
        self._text = text
        self._visual = visual
        self._page_embedder: PageEmbedder | None = visual
        self.sources = as_root(sources)
        self._store.settle()
        self.renditions = self.sources.parent.folder / "renditions"
        shutil.rmtree(self.renditions, ignore_errors=True)
        self._beside = beside
        prune(store, self.sources, beside)
        self._by_path = {d.path: d for d in store.documents()}
        self._published_ids = {d.id for d in self._by_path.values()}
        self._embeddings = EmbeddingCache(store.path.parent.below("embedded"), visual)
        self._discarded_ids: set[str] = set()
        self._reused_columns: dict[tuple[str, int], dict[str, Any]] = {}
        self._owners: dict[str, str] = {}
        self._waiting: list[ParsedPage] = []
        self._pages: list[dict[str, Any]] = []
        self._elements: list[dict[str, Any]] = []
        self._finished_documents: list[tuple[Document, Path | None, Path | None]] = []
        self._flushes = 0
        self._flush_seconds = PUBLISH_SECONDS / 2  # a disk is taken for slow until it was measured
        self._batch_seconds = self._finished_at = 0.0
        self._changed = False
        self._broken = False

    def use_page_embedder(self, make: Callable[[VisualEmbedder], PageEmbedder]) -> None:
        """Embed the pixels of pages with the embedder that `make` returns for the collection's own."""
        if self._visual is not None:
            self._page_embedder = make(self._visual)

    @property
    def n_reused(self) -> int:
        """The number of pages that an earlier run, which was stopped, had embedded."""
        return self._embeddings.reused

    def document_state(self, doc_id: str, path: str) -> Literal["same", "partial", "changed", "new"]:
        """Return the state of a document: "partial" if pages of it failed, "changed" if its path has another one."""
        same = self.document(doc_id)
        if same is not None:
            return "partial" if same.failed_pages else "same"
        return "changed" if path in self._by_path else "new"

    def improves(self, document: Document) -> bool:
        """Return False if the collection already has the same document with no more failed pages."""
        same = self.document(document.id)
        return same is None or len(document.failed_pages) < len(same.failed_pages)

    def drop_other(self, doc_id: str, path: str) -> None:
        """Remove the document of `path`, unless its id is `doc_id`: the file at that path is now another document."""
        old = self._by_path.get(path)
        if old is not None and old.id != doc_id:
            self._store.remove(old.id)
            del self._by_path[path]
            self._published_ids.discard(old.id)
            self._changed = True

    def document(self, doc_id: str) -> Document | None:
        """Return the published or finished document with that id; None if there is none."""
        return next((d for d in self._by_path.values() if d.id == doc_id), None)

    def _published_document(self, doc_id: str) -> Document | None:
        """Return the document with that id if it was published earlier, else None."""
        return self.document(doc_id) if doc_id in self._published_ids else None

    def uploaded_document(self, name: str) -> Document | None:
        """Return the uploaded document with that name; None if there is none."""
        return next((d for d in self._by_path.values() if d.name == name and d.brought_by is not None), None)

    def describe(self, doc_id: str, metadata: Metadata) -> None:
        """Replace the metadata of a document that was published earlier."""
        old = self._published_document(doc_id)
        if old is not None and old.metadata != metadata:
            self._store.describe(doc_id, metadata)
            self._by_path[old.path] = replace(old, metadata=metadata)

    def remove(self, doc_id: str) -> None:
        """Remove a document that was published earlier; its copy is deleted when the writer closes."""
        old = self.document(doc_id)
        if old is not None:
            self.drop_other("", old.path)

    def rename(self, doc_id: str, name: str, path: str) -> None:
        """Update the name and path of a published document to those of its file.

        `drop_other` has freed the path. Ids, elements and anchors stay as they are.
        """
        old = self._published_document(doc_id)
        if old is not None:
            self._store.rename(doc_id, name, path)
            del self._by_path[old.path]
            self._by_path[path] = replace(old, name=name, path=path)

    def add(self, page: ParsedPage, columns: dict[str, Any] | None = None) -> None:
        """Add a page; it is embedded as soon as a batch is complete.

        `columns` are multi-vectors (`COLUMNS`) from another version, which are not computed again.
        """
        if columns:
            self._reused_columns[page.page.doc_id, page.page.number] = columns
        self._waiting.append(page)
        if self._page_embedder is None or len(self._waiting) >= self._page_embedder.batch_size:
            self.flush_if_due()  # before the batch: after it, finished documents could have waited too long
            pages, self._waiting = self._waiting, []
            self._embed(pages)
        self._flush_if_full()

    def _embed(self, pages: Sequence[ParsedPage]) -> None:
        """Embed pages and put them in the buffer."""
        start = time.monotonic()
        with self._break_on_failure():
            self._buffer_pages(pages)
        self._batch_seconds = time.monotonic() - start

    @contextlib.contextmanager
    def _break_on_failure(self) -> Iterator[None]:
        """Mark the writer as broken if the block fails: rows can be lost then, and no document is published."""
        before, self._broken = self._broken, True
        yield
        self._broken = before

    def _buffer_pages(self, pages: Sequence[ParsedPage]) -> None:
        """Embed pages, apart from columns that are reused, and buffer their rows."""
        visual = self._visual
        columns = [self._reused_columns.pop((page.page.doc_id, page.page.number), {}) for page in pages]
        visual_rows: dict[int, MultiVector] = {}
        if visual is not None and self._page_embedder is not None:
            unseen_pages = [n for n, reused_columns in enumerate(columns) if "seen_vectors" not in reused_columns]
            regions = self._embeddings.embed([pages[n] for n in unseen_pages], self._page_embedder)
            for n, own_regions in zip(unseen_pages, regions, strict=True):
                visual_rows[n] = by_element(pages[n].elements, own_regions, visual)
        for n, (new_page, reused_columns) in enumerate(zip(pages, columns, strict=True)):
            text = None if "vectors" in reused_columns else self._text
            rows = rows_of(new_page, text, visual_rows.get(n))
            self._buffer(replace(rows, page=rows.page | reused_columns))

    def take(self, rows: PageRows) -> None:
        """Add the rows of a page that was embedded elsewhere (`embed_page`)."""
        self._buffer(rows)
        self._flush_if_full()

    def _flush_if_full(self) -> None:
        if len(self._pages) >= FLUSH_PAGES:
            self.flush()
        self.flush_if_due()

    def _buffer(self, rows: PageRows) -> None:
        owner = {"doc_id": self._owner(rows.doc_id)}
        self._pages.append(rows.page | owner)
        self._elements += [row | owner for row in rows.elements]

    def _owner(self, doc_id: str) -> str:
        """Return the id that owns a document's rows: one invisible to readers while it is read again."""
        return self._owners.setdefault(doc_id, doc_id + ANEW if doc_id in self._published_ids else doc_id)

    def finish(self, document: Document, source: Path | None, pages: Path | None = None) -> None:
        """Publish a document, all of whose pages were added, with the next flush, which comes within seconds.

        `source` is its file, None if its copy is already stored; `pages` the PDF of its rendition if it has no pages
        of its own.
        """
        self._by_path = {path: d for path, d in self._by_path.items() if d.id != document.id} | {
            document.path: document
        }
        if not self._finished_documents:
            self._finished_at = time.monotonic()
        self._finished_documents.append((document, source, pages))
        self.flush_if_due()

    def discard(self, doc_id: str) -> None:
        """Delete the cached embeddings of a document that is not published, when the writer closes."""
        self._discarded_ids.add(doc_id)

    def flush_if_due(self) -> None:
        """Flush if finished documents would otherwise wait over `PUBLISH_SECONDS`: a kill would lose them."""
        to_come = self._flush_seconds + (self._batch_seconds if self._waiting else 0.0)
        if self._finished_documents and time.monotonic() - self._finished_at + to_come >= PUBLISH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write the buffer, then publish the finished documents. Those they replace become invisible at once.

        Pages of unfinished documents still wait for their batch. Nothing more is written after embedding or writing
        has failed: pages are lost then, and their documents would be incomplete.
        """
        if self._broken:
            return
        with self._break_on_failure():
            ids = {document.id for document, _, _ in self._finished_documents}
            last = [page for page in self._waiting if page.page.doc_id in ids]
            self._waiting = [page for page in self._waiting if page.page.doc_id not in ids]
            self._embed(last)
            pages, self._pages = self._pages, []
            elements, self._elements = self._elements, []
            entries, self._finished_documents = self._finished_documents, []
            if pages or entries:
                self._write(pages, elements, entries)

    def _write(
        self,
        pages: Sequence[dict[str, Any]],
        elements: Sequence[dict[str, Any]],
        entries: Sequence[tuple[Document, Path | None, Path | None]],
    ) -> None:
        start = time.monotonic()
        self._changed = True
        self._store.add(pages, elements)
        for document, source, rendition in entries:
            if source is not None:
                self._store_source(document, source)
            if rendition is not None:
                self.sources.bring(f"{document.sha256}{PAGES_SUFFIX}", rendition)
        documents = [document for document, _, _ in entries]
        if documents:
            self._store.exchange([(self._owners.pop(d.id, d.id), d) for d in documents])
            self._published_ids.update(d.id for d in documents)
            self._embeddings.forget(d.id for d in documents)
        self._flush_seconds = time.monotonic() - start
        self._flushes += 1
        if self._flushes % OPTIMIZE_EVERY == 0:
            self._store.optimize()

    def close(self) -> None:
        """Delete rows and copies that are not needed any more, then index and compact the new rows."""
        self._embeddings.forget(self._discarded_ids)
        if self._changed:
            prune(self._store, self.sources, self._beside)
            self._store.optimize()

    def exchange_copy(self, doc_id: str, path: Path) -> bool:
        """Replace a decrypted copy of a document, of another size, by the file at `path`; return True if done."""
        document = self._published_document(doc_id)
        if document is None:
            return False
        key = key_of_copy(document)
        copy = self.sources.find(key)
        if copy is None or copy.size == document.size or path.stat().st_size != document.size:
            return False
        self.sources.bring(key, path)
        return True

    def decrypted_path(self, sha256: str) -> Path:
        """Return the local path for a decrypted copy, which `finish` moves into the collection."""
        folder = self.sources.folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder / f"{sha256}.unlocked"

    def _store_source(self, document: Document, source: Path) -> None:
        """Copy the file into the collection under its hash, atomically; a decrypted copy is moved instead."""
        key = key_of_copy(document)
        if source.suffix == ".unlocked":
            self.sources.bring(key, source, move=True)
            return
        copy = self.sources.find(key)
        if source.exists() and not (copy and copy.size == source.stat().st_size):
            self.sources.bring(key, source)


def prune(store: Store, sources: FolderRoot, beside: Sequence[Document] = ()) -> None:
    """Delete rows and source copies that no document needs, and unfinished files: only the writer may call this.

    Attachments of a deleted document are deleted too. Documents `beside` are those of another version.
    """
    while orphans := _orphans(store.documents(), beside):
        for orphan in orphans:
            store.remove(orphan)
    digests = {d.sha256 for d in (*store.documents(), *beside)}
    for file in list(sources.files()):
        if file.key.partition(".")[0] not in digests or file.key.endswith((".part", ".unlocked")):
            sources.delete(file.key)  # before the rows: deleting those takes some space
    sources.parent.delete_unfinished("*.part")
    store.sweep()


def _orphans(documents: Sequence[Document], beside: Sequence[Document]) -> list[str]:
    """Return the ids of attachments whose parent document is missing."""
    ids = {d.id.removesuffix(ANEW) for d in (*documents, *beside)}
    return [d.id for d in documents if d.metadata.parent and d.metadata.parent not in ids]
