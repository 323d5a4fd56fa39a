"""ShardedStore: the databases of a sharded collection, written and read as one.

The id of a document decides its shard, which also has its pages, its elements and the texts that models wrote about
them. A commit is one commit in each shard: a single document is always visible and complete, several together are not.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Literal, TypeVar

from indexing.errors import CollectionDamaged
from indexing.metadata import Metadata
from indexing.storage import StorageRoot
from indexing.store.database import ANEW, Rows, Store
from indexing.store.lock import Confirm, confirm_always
from indexing.store.snapshot import Snapshot
from indexing.types import Document
from indexing.vectors import Packing

_T = TypeVar("_T")

log = logging.getLogger(__name__)


class ShardedStore:
    """The tables of the shards at `places`, with the methods of `Store`.

    Readers get the contents of the readable shards; an unreadable one is replaced by its error, which is logged.
    Writing needs all shards.
    """

    def __init__(
        self,
        places: Sequence[StorageRoot],
        dim: int,
        visual: Packing | None = None,
        bits: Literal[4, 8] = 4,
    ) -> None:
        """Open the databases, or create them if there are none; if only some are missing, those are damaged."""
        self.path = places[0].parent.parent
        self.packings = {"text": Packing(dim, bits), "visual": visual or Packing(dim, bits)}
        self._confirm: Confirm = confirm_always
        present = ["documents.lance" in place.folders() for place in places]
        self.shards: list[Store | CollectionDamaged] = []
        for place, is_present in zip(places, present, strict=True):
            shard: Store | CollectionDamaged
            try:
                shard = Store(place, dim, visual, bits) if is_present or not any(present) else _missing(place)
            except CollectionDamaged as error:
                shard = error
            self.shards.append(shard)
            if isinstance(shard, CollectionDamaged):
                log.warning("shard %d of %d cannot be read: %s", len(self.shards), len(places), shard)

    @property
    def confirm(self) -> Confirm:
        """The function that confirms the right to write, called before each commit."""
        return self._confirm

    @confirm.setter
    def confirm(self, confirm: Confirm) -> None:
        self._confirm = confirm
        for shard in self.shards:
            if isinstance(shard, Store):
                shard.confirm = confirm

    @property
    def readable(self) -> list[Store]:
        """The shards that can be read."""
        return [shard for shard in self.shards if isinstance(shard, Store)]

    @property
    def _all(self) -> list[Store]:
        """All shards. Raises CollectionDamaged where one cannot be read."""
        for shard in self.shards:
            if isinstance(shard, CollectionDamaged):
                raise shard
        return self.readable

    def _number_of(self, doc_id: str) -> int:
        return zlib.crc32(doc_id.removesuffix(ANEW).encode()) % len(self.shards)

    def of(self, doc_id: str) -> Store:
        """Return the shard of a document. Raises CollectionDamaged where it cannot be read."""
        shard = self.shards[self._number_of(doc_id)]
        if isinstance(shard, CollectionDamaged):
            raise shard
        return shard

    def _by_shard(self, each: Iterable[_T], doc_id: Callable[[_T], str]) -> list[tuple[Store, list[_T]]]:
        """Return the items grouped by the shards of their documents; shards without any are left out."""
        parts: dict[int, list[_T]] = {}
        for one in each:
            parts.setdefault(self._number_of(doc_id(one)), []).append(one)
        return [(self._all[number], own) for number, own in sorted(parts.items())]

    def documents(self) -> tuple[Document, ...]:
        """Return all complete documents, oldest first; of two at one path the newer, which takes its place."""
        documents = sorted((d for shard in self.readable for d in shard.documents()), key=_age)
        newest = {document.path: document.id for document in documents}
        return tuple(document for document in documents if newest[document.path] == document.id)

    def add(self, pages: Rows, elements: Rows) -> None:
        """Append rows (`page_row`, `element_row`) of documents that are not complete yet."""
        for number, shard in enumerate(self._all):
            parts = [[row for row in rows if self._number_of(row["doc_id"]) == number] for rows in (pages, elements)]
            if any(parts):
                shard.add(parts[0], parts[1])

    def describe(self, doc_id: str, metadata: Metadata) -> None:
        """Replace the metadata of a published document."""
        self.of(doc_id).describe(doc_id, metadata)

    def rename(self, doc_id: str, name: str, path: str) -> None:
        """Show a document under another name and path; no document may be at that path."""
        self.of(doc_id).rename(doc_id, name, path)

    def exchange(self, documents: Sequence[tuple[str, Document]]) -> None:
        """Publish documents, each with the id of its rows, as `Store.exchange` does.

        Afterwards a document from the same path in another shard is deleted.
        """
        for shard, own in self._by_shard(documents, lambda pair: pair[1].id):
            shard.exchange(own)
        self._drop_replaced()

    def settle(self) -> None:
        """Complete an interrupted exchange: documents that were read again, and those that others replace."""
        for shard in self._all:
            shard.settle()
        self._drop_replaced()

    def _drop_replaced(self) -> None:
        pairs = [(shard, document) for shard in self._all for document in shard.documents()]
        newest = {document.path: document.id for _, document in sorted(pairs, key=lambda pair: _age(pair[1]))}
        for shard, document in pairs:
            if newest[document.path] != document.id:
                shard.remove(document.id)

    def remove(self, doc_id: str) -> None:
        """Delete a document and its rows."""
        self.of(doc_id).remove(doc_id)

    def sweep(self) -> None:
        """Delete the rows of documents that are not complete: only the writer may call this."""
        for shard in self._all:
            shard.sweep()

    def optimize(self, keep: timedelta = timedelta(minutes=10)) -> None:
        """Index new rows for full text, merge small files and drop versions older than `keep`."""
        for shard in self._all:
            shard.optimize(keep)

    def versions(self) -> int:
        """Count the versions of the tables that are on disk."""
        return sum(shard.versions() for shard in self.readable)

    def knowledge(self, element_ids: Sequence[str], model: str, prompt: str) -> dict[str, str]:
        """Return the texts by that model and prompt, by element id; elements it did not describe are left out."""
        texts_by_shard = [shard.knowledge(element_ids, model, prompt) for shard in self.readable]
        return {element_id: text for own in texts_by_shard for element_id, text in own.items()}

    def keep_knowledge(self, rows: Sequence[dict[str, str]]) -> None:
        """Add rows of texts, each replacing an earlier one of the same key."""
        for shard, own in self._by_shard(rows, lambda row: row["doc_id"]):
            shard.keep_knowledge(own)

    def all_knowledge(self) -> Iterator[list[dict[str, str]]]:
        """Yield all rows of texts that models wrote, some thousands at a time."""
        for shard in self._all:
            yield from shard.all_knowledge()

    def snapshots(self) -> list[Snapshot]:
        """Return the shards that can be read as they are now."""
        return [shard.snapshot() for shard in self.readable]


def open_store(
    place: StorageRoot, shards: int, dim: int, visual: Packing | None, bits: Literal[4, 8]
) -> Store | ShardedStore:
    """Open the database of a collection at `place`, or those of its shards. Raises the errors of both."""
    if shards == 1:
        return Store(place.below("db"), dim, visual, bits)
    return ShardedStore(database_places(place, shards), dim, visual, bits)


def database_places(place: StorageRoot, shards: int) -> list[StorageRoot]:
    """Return the places of the databases of a collection at `place`: one for each shard."""
    if shards == 1:
        return [place.below("db")]
    return [place.below("shards").below(str(number)).below("db") for number in range(1, shards + 1)]


def _missing(place: StorageRoot) -> CollectionDamaged:
    return CollectionDamaged(f"{place} holds no database: restore it from a copy")


def _age(document: Document) -> tuple[str, str]:
    return document.indexed_at, document.id
