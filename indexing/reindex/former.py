"""FormerVersion: the current version of a collection, read page by page while the next one is made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from indexing.current_version import open_tables
from indexing.embed import EmbedderRecord
from indexing.errors import CollectionDamaged
from indexing.storage import StorageRoot
from indexing.store import COLUMNS, Confirm, ShardedStore, Snapshot
from indexing.types import Document, Element, Page, View

_LACKED = {"text": "residuals", "visual": "seen_residuals"}
"""The columns that the first collections of this format do not have; their codes are of another codebook, too."""


class FormerVersion:
    """The version that a record tells of, at the place of its collection, unchanged while its writer's lock is held."""

    def __init__(self, place: StorageRoot, record: EmbedderRecord, confirm: Confirm, *, outdated: bool) -> None:
        """Open its tables, and complete interrupted exchanges. Raises CollectionDamaged, also for one of its shards.

        Tables of an older format are left as they are.
        """
        self._store = open_tables(place, record)
        self._store.confirm = confirm
        if isinstance(self._store, ShardedStore):
            for shard in self._store.shards:
                if isinstance(shard, CollectionDamaged):
                    raise shard
        if not outdated:
            self._store.settle()
        self._snapshots: dict[str, Snapshot] = {}

    def documents(self) -> tuple[Document, ...]:
        """Return its documents; each comes before its attachments."""
        documents = self._store.documents()
        parents = {d.id: d.metadata.parent for d in documents}
        return tuple(sorted(documents, key=lambda d: _depth(d.id, parents)))

    def between(
        self, doc_id: str, first: int, last: int
    ) -> tuple[dict[int, dict[str, Any]], dict[int, tuple[Element, ...]]]:
        """Return the rows of a document's pages and their elements, by number. Raises CollectionDamaged."""
        snapshot = self._snapshot(doc_id)
        try:
            return snapshot.page_rows(doc_id, first, last), snapshot.elements_between(doc_id, first, last)
        except (KeyError, ValueError, TypeError) as error:
            raise CollectionDamaged(f"{self._store.path}: the stored data of a page cannot be read ({error})") from None

    def knowledge(self) -> Iterator[list[dict[str, str]]]:
        """Yield the rows of texts that models wrote about its elements."""
        return self._store.all_knowledge()

    @property
    def bare(self) -> bool:
        """True if it lacks columns of today's vectors, so that its vectors are computed again."""
        names = self._store.schema("pages").names
        return any(column not in names for column in _LACKED.values())

    def _snapshot(self, doc_id: str) -> Snapshot:
        store = self._store.of(doc_id)
        if str(store.path) not in self._snapshots:
            self._snapshots[str(store.path)] = store.snapshot()
        return self._snapshots[str(store.path)]


def vectors_of(row: dict[str, Any], view: View) -> dict[str, Any]:
    """Return the columns of a page's multi-vector from its row, to be reused."""
    names = (*COLUMNS[view], "seen_boxes") if view == "visual" else COLUMNS[view]
    return {name: row.get(name) or b"" for name in names}


def no_pixels() -> dict[str, Any]:
    """Return the columns of a page without visual vectors."""
    return vectors_of({}, "visual")


def page_of(row: dict[str, Any]) -> Page:
    """Return the page of a row."""
    return Page(
        row["doc_id"], row["number"], row["width"], row["height"], row["rotation"], label=row.get("label") or ""
    )


def _depth(doc_id: str, parents: dict[str, str]) -> int:
    """Return the depth of an attachment: the number of documents that it is nested in."""
    depth, visited = 0, {doc_id}
    while (doc_id := parents.get(doc_id, "")) and doc_id not in visited:
        visited.add(doc_id)
        depth += 1
    return depth
