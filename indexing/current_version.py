"""Follow the current version of a collection while `vouch reindex` swaps in another."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from indexing.embed import EmbedderRecord
from indexing.errors import CollectionDamaged, EmbedderMismatch
from indexing.settings import IndexingSettings
from indexing.storage import Home, StorageRoot, as_root
from indexing.store import (
    RECORD,
    KnowledgeTable,
    RecordWatch,
    list_collections,
    place_of,
    read_record,
    tables_place,
    write_lock,
)

if TYPE_CHECKING:
    from indexing.embed import TextEmbedder, VisualEmbedder
    from indexing.search import Searcher, Shard
    from indexing.search.cluster import ShardCluster
    from indexing.store import ShardedStore, Store

_T = TypeVar("_T")
_OF_VERSION = ("_made", "_store", "_embedder", "_visual", "_searcher", "knowledge")
"""The parts of a version that are made when they are first needed."""


class CurrentVersion:
    """The tables, embedders and search of a collection, as the version that answers now has them.

    Another version is taken up at the next call. A call that was under way, and whose tables are gone, is made again.
    """

    def __init__(
        self, place: StorageRoot | Path, settings: IndexingSettings, named: IndexingSettings | None = None
    ) -> None:
        """Keep place and settings, and the settings that were `named` by whoever opened it."""
        self.place = as_root(place)
        self._settings = settings
        self._named = settings if named is None else named
        self._watch = RecordWatch(self.place)
        self._following = threading.Lock()
        self._followed = 0
        self._confirm: Callable[[], None] = _unasked
        self._cluster: ShardCluster | None = None

    @property
    def settings(self) -> IndexingSettings:
        """The settings that it was opened by, with those that the version that answers was made with."""
        self._follow()
        return self._settings

    def _of_store(self, read: Callable[[Store | ShardedStore], _T]) -> _T:
        """Return what is read of the tables that answer. Raises as `read` does, and EmbedderMismatch.

        The latter comes where another embedder was put in the place of one that the profile names.
        """
        return self._again_if_gone(lambda: read(self._store))

    def _of_search(self, ask: Callable[[Searcher], _T]) -> _T:
        """Return what is found in the tables that answer. Raises as `_of_store` does."""
        return self._again_if_gone(lambda: ask(self._searcher))

    def _again_if_gone(self, read: Callable[[], _T]) -> _T:
        self._follow()
        before = self._followed
        try:
            return read()
        except CollectionDamaged:
            self._follow(at_once=True)
            if self._followed == before:
                raise
        return read()

    def _follow(self, *, at_once: bool = False) -> None:
        """Take up another version, if there is one."""
        with self._following:
            if not self._watch.has_changed(at_once=at_once):
                return
            made = read_record(self.place, self._named)
            same = made.text == self._made.text and made.text.name == "minilm"
            self._settings = settled(made, self._named)
            for name in _OF_VERSION:
                if not (same and name == "_embedder"):  # which takes seconds to load
                    self.__dict__.pop(name, None)
            self._followed += 1

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the right to write; the store asks before each commit whether it is still held."""
        with write_lock(self.place) as confirm:
            self._follow(at_once=True)
            before, self._confirm = self._confirm, confirm
            try:
                yield
            finally:
                self._confirm = before

    def _ask_lock(self) -> None:
        self._confirm()

    @property
    def _tables(self) -> StorageRoot:
        """The place of the tables and of what belongs to them."""
        return tables_place(self.place, self._made.version)

    @cached_property
    def knowledge(self) -> KnowledgeTable:
        """The texts that models wrote about its elements."""
        return KnowledgeTable(self._store, self._locked)

    @cached_property
    def _embedder(self) -> TextEmbedder:
        from indexing.embed import check_same_text, text_embedder

        embedder = text_embedder(self._settings, self._tables, dim=self._made.text.dim)
        check_same_text(embedder, self._made.text, self.place.name)
        return embedder

    @cached_property
    def _visual(self) -> VisualEmbedder | None:
        from indexing.embed import check_same, visual_embedder

        embedder = visual_embedder(self._settings, lambda: self._embedder)
        check_same(embedder, self._made, self.place.name)
        return embedder

    @cached_property
    def _made(self) -> EmbedderRecord:
        return read_record(self.place, self._named)

    @cached_property
    def _store(self) -> Store | ShardedStore:
        store = open_tables(self.place, self._made)
        store.confirm = self._ask_lock
        return store

    @cached_property
    def _searcher(self) -> Searcher:
        from indexing.search import Searcher
        from indexing.vectors import compile_kernels

        threading.Thread(target=compile_kernels, daemon=True).start()  # while the database and the model are loaded
        text, visual = self._embedder, lambda: self._visual
        return Searcher(self._shards(text, visual), text, visual)

    def _shards(self, text: TextEmbedder, visual: Callable[[], VisualEmbedder | None]) -> list[Shard]:
        from indexing.search import shards_of

        if self._cluster is None:
            return shards_of(self._store, text, visual)
        return self._cluster.shards_of(self._store, self.place, self._made, self._settings)

    def search_on(self, cluster: ShardCluster | None) -> None:
        """Have the shards searched by the nodes of a cluster from now on, as long as that is connected; None: here."""
        with self._following:
            self._cluster = cluster
            self.__dict__.pop("_searcher", None)


def open_tables(place: StorageRoot, made: EmbedderRecord) -> Store | ShardedStore:
    """Open the tables of a version of the collection at a place. Raises CollectionDamaged, DiskFull."""
    from indexing.embed import packing_of, text_packing_of
    from indexing.store import open_store

    text = text_packing_of(made)
    return open_store(tables_place(place, made.version), made.shards, text.dim, packing_of(made), text.bits)


def settled(made: EmbedderRecord, named: IndexingSettings) -> IndexingSettings:
    """Return settings as a collection that was made so is opened by them."""
    recorded = made.settings()
    for moved in ("checkpoint", "text_checkpoint", "text_languages"):  # other weights are refused when they are loaded
        recorded[moved] = getattr(named, moved) or recorded[moved]
    return named.model_copy(update=recorded)


def unreadable_collections(home: Home | None = None) -> dict[str, str]:
    """Return the collections in `home` whose tables cannot be read, by name, each with the reason.

    Raises StoreUnreachable, StoreDenied.
    """
    found: dict[str, str] = {}
    for name in list_collections(home):
        place = place_of(name, home)
        try:
            open_tables(place, read_record(place, IndexingSettings())).documents()
        except CollectionDamaged as error:
            if place.exists(RECORD):  # it was not removed meanwhile
                found[name] = str(error)
        except EmbedderMismatch:
            continue  # it can be read, by settings that name its embedder
    return found


def _unasked() -> None:
    """Confirm the right to write, which nobody has asked for: a reader does not commit."""
