"""FormerVersion: the version of a collection that answers, read page by page while another is made of it."""

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

    def __init__(self, place: StorageRoot, made: EmbedderRecord, confirm: Confirm, *, outdated: bool) -> None:
        """Open its tables, and complete what a kill has cut short. Raises CollectionDamaged, for one of its shards too.

        Tables of an older format are left as they are.
        """
        self._store = open_tables(place, made)
        self._store.confirm = confirm
        if isinstance(self._store, ShardedStore):
            for shard in self._store.shards:
                if isinstance(shard, CollectionDamaged):
                    raise shard
        if not outdated:
            self._store.settle()
        self._snapshots: dict[str, Snapshot] = {}

    def documents(self) -> tuple[Document, ...]:
        """Return its documents; one that others were attached to stands before these."""
        found = self._store.documents()
        parents = {d.id: d.metadata.parent for d in found}
        return tuple(sorted(found, key=lambda d: _depth(d.id, parents)))

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
        """True where the columns of its vectors are not those of today, so that its vectors are made anew."""
        names = self._store.schema("pages").names
        return any(column not in names for column in _LACKED.values())

    def _snapshot(self, doc_id: str) -> Snapshot:
        store = self._store.of(doc_id)
        if str(store.path) not in self._snapshots:
            self._snapshots[str(store.path)] = store.snapshot()
        return self._snapshots[str(store.path)]


def vectors_of(row: dict[str, Any], view: View) -> dict[str, Any]:
    """Return the columns of a page's multi-vector out of its row, to be taken over."""
    names = (*COLUMNS[view], "seen_boxes") if view == "visual" else COLUMNS[view]
    return {name: row.get(name) or b"" for name in names}


def unseen() -> dict[str, Any]:
    """Return the columns of the pixels of a page that nobody has looked at."""
    return vectors_of({}, "visual")


def page_of(row: dict[str, Any]) -> Page:
    """Return the page of a row."""
    return Page(
        row["doc_id"], row["number"], row["width"], row["height"], row["rotation"], label=row.get("label") or ""
    )


def _depth(doc_id: str, parents: dict[str, str]) -> int:
    """Return how many documents a document is attached to, one in another."""
    depth, seen = 0, {doc_id}
    while (doc_id := parents.get(doc_id, "")) and doc_id not in seen:
        seen.add(doc_id)
        depth += 1
    return depth
