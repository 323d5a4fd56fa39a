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
from indexing.embed import PageEmbedder, RegionVectors, TextEmbedder, VisualEmbedder
from indexing.embed.text import CollectionFit
from indexing.metadata import Metadata
from indexing.storage import StorageRoot, rooted
from indexing.store.database import ANEW, Store
from indexing.store.embedding_cache import EmbeddingCache, key_of
from indexing.store.home import key_of_copy
from indexing.store.multivectors import PageRows, by_element, rows_of
from indexing.store.rows import MultiVector
from indexing.store.shards import ShardedStore
from indexing.types import Document, ParsedPage

FLUSH_PAGES = 64
PUBLISH_SECONDS = 5.0
"""The seconds between two flushes after which a finished document waits no longer to be seen."""
MOST_FLUSHING = 0.05
"""The share of a run that such flushes may take: where the disk is slow, documents wait longer, up to a limit."""
MOST_WAITING = 9.0
"""The most seconds that a finished document waits, flush and batch before it included, if they take as long as the last
ones did. A kill is to lose at most ten seconds of finished documents, so one is left for those that take longer.
"""
OPTIMIZE_EVERY = 40
"""The number of flushes between two compactions of a long run."""


class Writer:
    """The writer that `Collection.writer` makes, which holds the lock. `sources` is the place of source copies.

    `work` is the place of what is in work, else that of the sources; `beside` are the documents of another version,
    whose copies are kept too. `renditions` is a folder for what is converted during a run, empty at first;
    `reused` counts the pages that an earlier run had embedded.
    """

    def __init__(
        self,
        store: Store | ShardedStore,
        text: TextEmbedder,
        visual: VisualEmbedder | None,
        sources: StorageRoot | Path,
        work: StorageRoot | None = None,
        beside: Sequence[Document] = (),
    ) -> None:
        """Complete or remove what a killed run has left."""
        self._store = store
        self._store.upgrade()
        self._text = text
        self._visual = visual
        self._seer: PageEmbedder | None = visual
        self.sources = rooted(sources)
        self._store.settle()
        self.renditions = self.sources.parent.machine / "renditions"
        shutil.rmtree(self.renditions, ignore_errors=True)
        self._beside = beside
        prune(store, self.sources, beside)
        self._there = {d.path: d for d in store.documents()}
        self._published = {d.id for d in self._there.values()}
        self.reused = 0
        self._fit = CollectionFit(text)
        self._embedded = EmbeddingCache((work or self.sources.parent).below("embedded"))
        self._taken_over: dict[tuple[str, int], dict[str, Any]] = {}
        self._keys: dict[str, list[str]] = {}
        self._owners: dict[str, str] = {}
        self._waiting: list[ParsedPage] = []
        self._pages: list[dict[str, Any]] = []
        self._elements: list[dict[str, Any]] = []
        self._finished: list[tuple[Document, Path | None, Path | None]] = []
        self._flushes = 0
        self._flushed_at = time.monotonic()
        self._flush_seconds = 0.0
        self._batch_seconds = 0.0
        self._finished_at = 0.0
        self._changed = False
        self._broken = False

    def see_by(self, seer: Callable[[VisualEmbedder], PageEmbedder]) -> None:
        """Have the pixels of pages embedded by what is made in the place of the collection's embedder."""
        if self._visual is not None:
            self._seer = seer(self._visual)

    def known(self, doc_id: str, path: str) -> Literal["same", "partial", "changed", "new"]:
        """Return the state of a document in the collection.

        It is "partial" when pages of it failed, "changed" when its path holds another version.
        """
        same = self._same(doc_id)
        if same is not None:
            return "partial" if same.failed_pages else "same"
        return "changed" if path in self._there else "new"

    def improves(self, document: Document) -> bool:
        """Return False when the collection has the same document with no more failed pages: that one is to stay."""
        same = self._same(document.id)
        return same is None or len(document.failed_pages) < len(same.failed_pages)

    def _same(self, doc_id: str) -> Document | None:
        return next((d for d in self._there.values() if d.id == doc_id), None)

    def drop_other(self, doc_id: str, path: str) -> None:
        """Take out the document that `path` held before: it now holds a copy of one that came from elsewhere."""
        old = self._there.get(path)
        if old is not None and old.id != doc_id:
            self._store.remove(old.id)
            del self._there[path]
            self._published.discard(old.id)
            self._changed = True

    def shown(self, doc_id: str) -> Document | None:
        """Return the document of that id as the collection shows it, or will when it is published; None without one."""
        return self._same(doc_id)

    def uploaded(self, name: str) -> Document | None:
        """Return the document that somebody uploaded under a name; None without one."""
        return next((d for d in self._there.values() if d.name == name and d.brought_by is not None), None)

    def describe(self, doc_id: str, metadata: Metadata) -> None:
        """Keep another record of a document that was published earlier."""
        old = self._same(doc_id)
        if old is not None and doc_id in self._published and old.metadata != metadata:
            self._store.describe(doc_id, metadata)
            self._there[old.path] = replace(old, metadata=metadata)

    def remove(self, doc_id: str) -> None:
        """Take out a document that was published earlier; its copy goes when the writer closes."""
        old = self._same(doc_id)
        if old is not None:
            self.drop_other("", old.path)

    def rename(self, doc_id: str, name: str, path: str) -> None:
        """Show a document that was published earlier under the name and path that its file has now.

        `drop_other` has freed the path. Ids, elements and anchors stay as they are.
        """
        old = self._same(doc_id)
        if old is not None and doc_id in self._published:
            self._store.rename(doc_id, name, path)
            del self._there[old.path]
            self._there[path] = replace(old, name=name, path=path)

    def add(self, parsed: ParsedPage, taken_over: dict[str, Any] | None = None) -> None:
        """Take a page; it is embedded as soon as a batch is complete.

        The columns of multi-vectors (`COLUMNS`) that are `taken_over` from another version are not made again.
        """
        if taken_over:
            self._taken_over[parsed.page.doc_id, parsed.page.number] = taken_over
        self._waiting.append(parsed)
        if self._seer is None or len(self._waiting) >= self._seer.batch_size:
            if self._is_late():
                self.flush()  # before the batch: after it, finished documents would have waited too long
            pages, self._waiting = self._waiting, []
            self._embed(pages)
            if len(self._pages) >= FLUSH_PAGES:
                self.flush()
        self.flush_if_due()

    def _embed(self, pages: Sequence[ParsedPage]) -> None:
        """Embed pages and put them in the buffer."""
        started = time.monotonic()
        with self._unbroken():
            self._put(pages)
        self._batch_seconds = time.monotonic() - started

    @contextlib.contextmanager
    def _unbroken(self) -> Iterator[None]:
        """Note that pages or rows may be lost where this ends early: no document is published after that."""
        whole, self._broken = self._broken, True
        yield
        self._broken = whole

    def _put(self, pages: Sequence[ParsedPage]) -> None:
        visual = self._visual
        kept = [self._taken_over.pop((page.page.doc_id, page.page.number), {}) for page in pages]
        visual_rows: dict[int, MultiVector] = {}
        if visual is not None:
            unseen = [n for n, own in enumerate(kept) if "seen_vectors" not in own]
            made = zip(unseen, self._visual_vectors([pages[n] for n in unseen]), strict=True)
            visual_rows = {n: by_element(pages[n].elements, regions, visual) for n, regions in made}
        for n, (parsed, own) in enumerate(zip(pages, kept, strict=True)):
            text = None if "vectors" in own else self._text
            rows = rows_of(parsed, text, visual_rows.get(n), self._fit.take)
            self._buffer(replace(rows, page=rows.page | own))

    def take(self, rows: PageRows) -> None:
        """Take the rows of a page, which were made elsewhere (`made_rows`)."""
        self._buffer(rows)
        if len(self._pages) >= FLUSH_PAGES:
            self.flush()
        self.flush_if_due()

    def _buffer(self, rows: PageRows) -> None:
        owner = {"doc_id": self._owner(rows.doc_id)}
        self._pages.append(rows.page | owner)
        self._elements += [row | owner for row in rows.elements]

    def _owner(self, doc_id: str) -> str:
        """Return the id that owns a document's rows: one that readers do not see, while it is read anew."""
        return self._owners.setdefault(doc_id, doc_id + ANEW if doc_id in self._published else doc_id)

    def _visual_vectors(self, pages: Sequence[ParsedPage]) -> list[RegionVectors]:
        """Return the visual embedder's vectors of pages, computed now or in a run that was stopped."""
        assert self._visual is not None  # noqa: S101  asked for with one only
        assert self._seer is not None  # noqa: S101
        if self._visual.visual_kind == "words":  # at once, so not worth a file
            return self._visual.embed_pages(pages)
        keys = [key_of(page) for page in pages]
        found = {key: kept for key in dict.fromkeys(keys) if (kept := self._embedded.find(key)) is not None}
        self.reused += sum(key in found for key in keys)
        fresh = {key: page for key, page in zip(keys, pages, strict=True) if key not in found}
        for key, regions in zip(fresh, self._seer.embed_pages(list(fresh.values())) if fresh else [], strict=True):
            self._embedded.keep(key, regions)
            found[key] = regions
        for key, page in zip(keys, pages, strict=True):
            self._keys.setdefault(page.page.doc_id, []).append(key)
        return [found[key] for key in keys]

    def finish(self, document: Document, source: Path | None, pages: Path | None = None) -> None:
        """Publish a document, all of whose pages were added, with the next flush, which comes within seconds.

        `source` is its file, None where its copy is there; `pages` the PDF of its rendition where it has no pages of
        its own.
        """
        self._there = {path: d for path, d in self._there.items() if d.id != document.id} | {document.path: document}
        if not self._finished:
            self._finished_at = time.monotonic()
        self._finished.append((document, source, pages))
        self.flush_if_due()

    def flush_if_due(self) -> None:
        """Flush when a finished document has waited long enough: a run that is killed then has lost little."""
        interval = max(PUBLISH_SECONDS, self._flush_seconds / MOST_FLUSHING)
        if self._finished and (time.monotonic() - self._flushed_at >= interval or self._is_late()):
            self.flush()

    def _is_late(self) -> bool:
        """Return True where a finished document would wait too long if it were not published now."""
        if not self._finished:
            return False
        to_come = self._flush_seconds + (self._batch_seconds if self._waiting else 0.0)
        return time.monotonic() - self._finished_at + to_come >= MOST_WAITING

    def flush(self) -> None:
        """Write the buffer, then publish the finished documents. Those they replace become invisible at once.

        Pages of documents that are not finished go on waiting for their batch. Nothing more is written once embedding
        or writing has failed: pages are lost then, and their documents would be half.
        """
        if self._broken:
            return
        with self._unbroken():
            whole = {document.id for document, _, _ in self._finished}
            last = [page for page in self._waiting if page.page.doc_id in whole]
            self._waiting = [page for page in self._waiting if page.page.doc_id not in whole]
            self._embed(last)
            pages, self._pages = self._pages, []
            elements, self._elements = self._elements, []
            finished, self._finished = self._finished, []
            if pages or finished:
                self._write(pages, elements, finished)

    def _write(
        self,
        pages: Sequence[dict[str, Any]],
        elements: Sequence[dict[str, Any]],
        finished: Sequence[tuple[Document, Path | None, Path | None]],
    ) -> None:
        started = time.monotonic()
        self._changed = True
        self._store.add(pages, elements)
        for document, source, rendition in finished:
            if source is not None:
                self._keep_source(document, source)
            if rendition is not None:
                self.sources.bring(f"{document.sha256}{PAGES_SUFFIX}", rendition)
        documents = [document for document, _, _ in finished]
        if documents:
            self._store.exchange([(self._owners.pop(d.id, d.id), d) for d in documents])
            self._published.update(d.id for d in documents)
        for document in documents:
            for key in self._keys.pop(document.id, ()):
                self._embedded.forget(key)
        self._flushes += 1
        self._flushed_at = time.monotonic()
        self._flush_seconds = self._flushed_at - started
        if self._flushes % OPTIMIZE_EVERY == 0:
            self._store.optimize()

    def close(self) -> None:
        """Delete rows and copies that are not needed any more, then index and compact the new rows."""
        if not self._broken:
            self._fit.close()
        if self._changed:
            prune(self._store, self.sources, self._beside)
            self._store.optimize()

    def exchange_copy(self, doc_id: str, path: Path) -> bool:
        """Put the file of a document at `path` in the place of a copy that is not the same, as an unlocked one is not.

        Return True if there was such a copy.
        """
        shown = self._same(doc_id)
        if shown is None or doc_id not in self._published:
            return False
        key = key_of_copy(shown)
        there = self.sources.find(key)
        if there is None or there.size == shown.size or path.stat().st_size != shown.size:
            return False
        self.sources.bring(key, path)
        return True

    def copy_at(self, path: str) -> Path | None:
        """Return the copy of the file of the document at a path, which may be an address; None without one."""
        document = self._there.get(path)
        copy = self.sources.find(key_of_copy(document)) if document else None
        return self.sources.local_copy(copy) if copy else None

    def unlocked_at(self, sha256: str) -> Path:
        """Return the path on this machine at which an unlocked copy is made, which `finish` takes over."""
        folder = self.sources.machine
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder / f"{sha256}.unlocked"

    def _keep_source(self, document: Document, source: Path) -> None:
        """Copy the file into the collection under its hash, whole or not at all; an unlocked copy is taken over."""
        key = key_of_copy(document)
        if source.suffix == ".unlocked":
            self.sources.bring(key, source, move=True)
            return
        there = self.sources.find(key)
        if source.exists() and not (there and there.size == source.stat().st_size):
            self.sources.bring(key, source)


def prune(store: Store | ShardedStore, sources: StorageRoot, beside: Sequence[Document] = ()) -> None:
    """Delete rows and source copies that no document needs, and files half written: only the writer may call this.

    What was attached to a document that is gone goes with it. Documents `beside` are those of another version.
    """
    while orphans := _orphans(store.documents(), beside):
        for orphan in orphans:
            store.remove(orphan)
    wanted = {d.sha256 for d in (*store.documents(), *beside)}
    store.confirm()
    for file in list(sources.files()):
        if file.key.partition(".")[0] not in wanted or file.key.endswith((".part", ".unlocked")):
            sources.delete(file.key)  # before the rows: deleting those takes some space
    for place in (sources.parent.below("embedded"), sources.parent):
        place.delete_unfinished("*.part")
    store.sweep()


def _orphans(documents: Sequence[Document], beside: Sequence[Document]) -> list[str]:
    """Return the ids of documents that were attached to one which is not there."""
    there = {d.id.removesuffix(ANEW) for d in (*documents, *beside)}
    return [d.id for d in documents if d.metadata.parent and d.metadata.parent not in there]
