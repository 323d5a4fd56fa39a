"""Follow the current version of a collection while `vouch reindex` replaces it."""

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
from indexing.storage import FolderRoot, Home, as_root
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
    from indexing.search import Searcher
    from indexing.store import Store

_T = TypeVar("_T")
_OF_VERSION = ("_record", "_store", "_embedder", "_visual", "_searcher", "knowledge")
"""The parts of a version that are created on first use."""


class CurrentVersion:
    """The tables, embedders and search of a collection in its current version.

    The next call notices a new version. A call in progress whose tables were deleted is repeated.
    """

    def __init__(
        self, place: FolderRoot | Path, settings: IndexingSettings, opening_settings: IndexingSettings | None = None
    ) -> None:
        """Keep the place, its settings, and the `opening_settings` that the caller gave."""
        self.place = as_root(place)
        self._settings = settings
        self._opening_settings = settings if opening_settings is None else opening_settings
        self._watch = RecordWatch(self.place)
        self._switch_lock = threading.Lock()
        self._switches = 0

    @property
    def settings(self) -> IndexingSettings:
        """The settings that it was opened with, and those that the current version was made with."""
        self._follow()
        return self._settings

    def _of_store(self, read: Callable[[Store], _T]) -> _T:
        """Return the result of reading the current tables. Raises as `read` does, and EmbedderMismatch.

        The latter is raised if the embedder that the profile names was replaced.
        """
        return self._retry_after_switch(lambda: read(self._store))

    def _of_search(self, ask: Callable[[Searcher], _T]) -> _T:
        """Return the result of searching the current tables. Raises as `_of_store` does."""
        return self._retry_after_switch(lambda: ask(self._searcher))

    def _retry_after_switch(self, read: Callable[[], _T]) -> _T:
        """Return `read()`, called again if it fails while the current version was replaced. Raises as `read` does."""
        self._follow()
        before = self._switches
        try:
            return read()
        except CollectionDamaged:
            self._follow()
            if self._switches == before:
                raise
        return read()

    def _follow(self) -> None:
        """Switch to a new version, if there is one."""
        with self._switch_lock:
            if not self._watch.has_changed():
                return
            record = read_record(self.place, self._opening_settings)
            keeps_embedder = record.text == self._record.text and record.text.name == "minilm"
            self._settings = with_record(record, self._opening_settings)
            for name in _OF_VERSION:
                if not (keeps_embedder and name == "_embedder"):  # which takes seconds to load
                    self.__dict__.pop(name, None)
            self._switches += 1

    @contextlib.contextmanager
    def _write_lock(self) -> Iterator[None]:
        """Hold the right to write."""
        with write_lock(self.place):
            self._follow()
            yield

    @property
    def _tables(self) -> FolderRoot:
        """The place of the tables and their other files."""
        return tables_place(self.place, self._record.version)

    @cached_property
    def knowledge(self) -> KnowledgeTable:
        """The texts that models wrote about its elements."""
        return KnowledgeTable(self._store, self._write_lock)

    @cached_property
    def _embedder(self) -> TextEmbedder:
        from indexing.embed import check_same_text, text_embedder

        embedder = text_embedder(self._settings, dim=self._record.text.dim)
        check_same_text(embedder, self._record.text, self.place.name)
        return embedder

    @cached_property
    def _visual(self) -> VisualEmbedder | None:
        """The visual embedder of the current version, None if it has none. Raises EmbedderMismatch."""
        from indexing.embed import check_same, visual_embedder

        embedder = visual_embedder(self._settings, lambda: self._embedder)
        check_same(embedder, self._record, self.place.name)
        return embedder

    @cached_property
    def _record(self) -> EmbedderRecord:
        return read_record(self.place, self._opening_settings)

    @cached_property
    def _store(self) -> Store:
        return open_tables(self.place, self._record)

    @cached_property
    def _searcher(self) -> Searcher:
        from indexing.search import Searcher
        from indexing.vectors import compile_kernels

        threading.Thread(target=compile_kernels, daemon=True).start()  # while the database and the model are loaded
        return Searcher(self._store, self._embedder, lambda: self._visual)


def open_tables(place: FolderRoot, record: EmbedderRecord) -> Store:
    """Open the tables of a version of the collection at a place. Raises CollectionDamaged, DiskFull."""
    from indexing.embed import packing_of, text_packing_of
    from indexing.store import Store

    text = text_packing_of(record)
    return Store(tables_place(place, record.version).below("db"), text.dim, packing_of(record), text.bits)


def with_record(record: EmbedderRecord, opening_settings: IndexingSettings) -> IndexingSettings:
    """Return the settings for opening a collection: those given, with the values of its record."""
    values = record.settings()
    for key in ("checkpoint", "text_checkpoint", "text_languages"):  # other weights are refused when they are loaded
        values[key] = getattr(opening_settings, key) or values[key]
    return opening_settings.model_copy(update=values)


def unreadable_collections(home: Home | None = None) -> dict[str, str]:
    """Return the collections in `home` whose tables cannot be read, by name, each with the reason."""
    reasons: dict[str, str] = {}
    for name in list_collections(home):
        place = place_of(name, home)
        try:
            open_tables(place, read_record(place, IndexingSettings())).documents()
        except CollectionDamaged as error:
            if place.exists(RECORD):  # it was not removed meanwhile
                reasons[name] = str(error)
        except EmbedderMismatch:
            continue  # it can be read, by settings that name its embedder
    return reasons
