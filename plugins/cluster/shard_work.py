"""The work of an actor: it opens one shard of a collection on its node, and searches it as a local search does."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from indexing import CollectionDamaged, Element, IndexingSettings
from indexing.embed import (
    EmbedderRecord,
    check_same,
    check_same_text,
    packing_of,
    text_embedder,
    text_packing_of,
    visual_embedder,
)
from indexing.search import Candidates, LocalShard, ShardQuery
from indexing.storage import root_of
from indexing.store import RECORD, Store, database_places, read_record, tables_place
from plugins.cluster.connection import NodeReport, node_report

LAG_SECONDS = 4.0
"""The seconds by the clock for which a change that the driver has seen may be on its way to a folder that is shared."""
_LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class ShardPlace:
    """The address of a shard, valid on every node.

    It is `number` (from 1) of those of the collection at `address` (an absolute path, or a prefix of an object store),
    whose current version has this `record`.
    """

    address: str
    record: EmbedderRecord
    number: int

    @property
    def name(self) -> str:
        """The name by which messages mention the shard."""
        return "the collection" if self.record.shards == 1 else f"shard {self.number} of {self.record.shards}"


class ShardWork:
    """One shard in a process of the cluster, opened once. Its methods are those of a `Shard`.

    `least` is the version of its tables that the driver knows of: a node that has an earlier one has a copy of the
    collection, and not the collection.
    """

    def __init__(self, place: ShardPlace, settings: IndexingSettings) -> None:
        """Keep the place, and the settings by which the collection is opened."""
        os.umask(0o077)
        self._place = place
        self._settings = settings
        self._store_and_shard: tuple[Store, LocalShard] | None = None

    def report(self) -> NodeReport:
        """Return the report on this node that the driver checks before it sends requests."""
        return node_report()

    def warm(self, least: int) -> None:
        """Open the shard, load the embedders' codes, and read what searching holds in memory. Raises IndexingError."""
        from indexing.vectors import compile_kernels

        shard = self._shard(least)
        compile_kernels()  # which takes longer than a question may, on a busy node that has not done it before
        shard.warm()

    def candidates(self, least: int, query: ShardQuery) -> Candidates | None:
        """Return its candidates for a question; None where it has no page among the documents asked."""
        return self._shard(least).candidates(query)

    def elements(self, _: int, state: int, keys: Sequence[int]) -> list[tuple[Element, NDArray[Any]]]:
        """Return the elements of a state by their keys, each with the vectors of its text."""
        return self._shard(0).elements(state, keys)

    def elements_on(self, least: int, pages: Sequence[tuple[str, int]]) -> list[tuple[Element, ...]]:
        """Return for each page (document, number) its elements in reading order, groups last."""
        return self._shard(least).elements_on(pages)

    def unseen_pages(self, least: int, doc_ids: Sequence[str]) -> tuple[int, int]:
        """Count the pages with text that have no visual vector, and all that have text."""
        return self._shard(least).unseen_pages(doc_ids)

    def _shard(self, least: int) -> LocalShard:
        """Return the shard, not older than the driver knows it."""
        if self._store_and_shard is None:
            self._store_and_shard = self._open()
        store, shard = self._store_and_shard
        until = time.monotonic() + LAG_SECONDS
        while store.version() < least:
            if time.monotonic() > until:
                raise CollectionDamaged(
                    f"{store.path} on this node is an older copy of the collection: share the folder with the node "
                    "itself, or keep the collection on an object store (docs/shards.md)"
                )
            time.sleep(_LOOK_SECONDS)
        return shard

    def _open(self) -> tuple[Store, LocalShard]:
        """Open the database, which is never made here, and the embedders. Raises IndexingError."""
        place, record, settings = (
            root_of(self._place.address, self._settings.cache_mb),
            self._place.record,
            self._settings,
        )
        tables = tables_place(place, record.version)
        database = database_places(tables, record.shards)[self._place.number - 1]
        if not place.exists(RECORD) or "documents.lance" not in database.folders():
            raise CollectionDamaged(
                f"there is no readable database at {database}: share the folder with the node, under the same "
                "path, or keep the collection on an object store (docs/shards.md)"
            )
        if read_record(place, settings) != record:
            raise CollectionDamaged(
                f"{place} holds a different version of the collection than the one this machine asked for"
            )
        text = text_embedder(settings, dim=record.text.dim, threads=1)
        check_same_text(text, record.text, place.name)
        visual = visual_embedder(settings, lambda: text)
        check_same(visual, record, place.name)
        packing = text_packing_of(record)
        store = Store(database, packing.dim, packing_of(record), packing.bits)
        return store, LocalShard(store, text, lambda: visual, self._place.name)
