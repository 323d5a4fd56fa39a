"""The index that search has in memory: the pages and elements of a collection, and names and numbers on pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing.hints import Hints
from indexing.search.index_arrays import KEPT_PAGES, ORDINALS, Arrays, index_arrays
from indexing.search.page_vectors import PageVectors
from indexing.store import COLUMNS, Snapshot
from indexing.types import View

LABEL = 0.9
"""The certainty that a page with a number in its header or footer, the only such, is the page of that number."""


@dataclass(frozen=True, slots=True)
class MemoryIndex:
    """The pages in one order: `doc` (p,) the position of their document in `doc_ids`, `number` (p,) from 1.

    `last` (p,) is True for those that end it, `pictures` and `tables` (p,) are how much of them these cover. `names`
    (n,), in order, are those of captions, with the page and strength of each; `labels` (l,), in order, printed page
    numbers, with their pages. `keys` (e,), sorted, and `rows` (e,) lead from an element that is searched to its row,
    `by_row` (e,) is the order of the rows, and `drawn` (e,) marks pictures and tables; `every_key` and `every_row` lead
    from all elements, groups and headers too. In a large collection all these are memory-mapped.
    """

    doc_ids: tuple[str, ...]
    doc: NDArray[np.int32]
    number: NDArray[np.int32]
    last: NDArray[np.bool_]
    pictures: NDArray[np.float32]
    tables: NDArray[np.float32]
    names: NDArray[np.bytes_]
    name_pages: NDArray[np.int64]
    name_strengths: NDArray[np.float32]
    labels: NDArray[np.int64]
    label_pages: NDArray[np.int64]
    keys: NDArray[np.int64]
    rows: NDArray[np.int64]
    by_row: NDArray[np.int64]
    drawn: NDArray[np.bool_]
    every_key: NDArray[np.int64]
    every_row: NDArray[np.int64]
    views: dict[View, PageVectors]

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self.doc)

    def page_mask(self, doc_ids: Sequence[str]) -> NDArray[np.bool_]:
        """Return a mask (p,) of the pages of the documents; all pages if no document is named."""
        if not doc_ids:
            return np.ones(len(self), bool)
        ids = set(doc_ids)
        return np.isin(self.doc, [n for n, doc in enumerate(self.doc_ids) if doc in ids])

    def count_without_vectors(self, doc_ids: Sequence[str], images: Sequence[str] = ()) -> tuple[int, int]:
        """Count the pages of the documents that have text and no visual vector, and all of their pages with text.

        In the documents `images`, image files, a page without a visual vector counts as one without text.
        """
        visual = self.views["visual"].present
        with_text = self.page_mask(doc_ids) & self.views["text"].present
        if images:
            with_text &= visual | ~self.page_mask(images)
        return int((with_text & ~visual).sum()), int(with_text.sum())

    def row(self, key: int) -> int:
        """Return the LanceDB row id of the element with that key, which is one of `keys`."""
        return int(self.rows[np.searchsorted(self.keys, key)])

    def rows_on(self, doc_id: str, number: int) -> list[int]:
        """Return the row ids of all elements of a page, in their order; none if there is no such page."""
        if doc_id not in self.doc_ids:
            return []
        pages = np.flatnonzero((self.doc == self.doc_ids.index(doc_id)) & (self.number == number))
        if not len(pages):
            return []
        first, last = np.searchsorted(self.every_key, (pages[0] * ORDINALS, (pages[0] + 1) * ORDINALS))
        return [int(row) for row in self.every_row[first:last]]

    def keys_of_rows(self, rows: Sequence[int]) -> NDArray[np.int64]:
        """Return the keys of the elements with these row ids, -1 for one that is not searched."""
        if not len(self.rows):
            return np.full(len(rows), -1, np.int64)
        row_ids = np.asarray(rows, np.int64)
        at = np.searchsorted(self.rows, row_ids, sorter=self.by_row)
        indices = self.by_row[np.minimum(at, len(self.by_row) - 1)]
        return np.where(self.rows[indices] == row_ids, self.keys[indices], -1)

    def hint_strengths(self, hints: Hints) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return two certainties (p,) of pages: that `hints` name the number, and that they name a figure on it."""
        by_number, by_name = np.zeros(len(self), np.float32), np.zeros(len(self), np.float32)
        for number in hints.pages:
            first, end = np.searchsorted(self.labels, [number, number + 1])
            by_number[self.label_pages[first:end]] = LABEL
            by_number[self.last if number == -1 else self.number == number] = 1.0
        for name in hints.names:
            name_bytes = name.encode()
            if len(name_bytes) <= self.names.itemsize:
                first, end = (np.searchsorted(self.names, name_bytes, side) for side in ("left", "right"))
                np.maximum.at(by_name, self.name_pages[first:end], self.name_strengths[first:end])
        return by_number, by_name


def read_memory_index(snapshot: Snapshot, *, rebuild: bool = False, kept_pages: int = KEPT_PAGES) -> MemoryIndex:
    """Return the index of complete documents; over `kept_pages` pages have a file, which `rebuild` writes again."""
    arrays = index_arrays(snapshot, rebuild=rebuild, kept_pages=kept_pages)
    array_names = [name for name in MemoryIndex.__slots__ if name not in ("doc_ids", "views")]
    doc_ids = tuple(doc.decode() for doc in arrays["doc_ids"][:-1].tolist())
    views = {view: _view(snapshot, view, arrays) for view in COLUMNS}
    return MemoryIndex(doc_ids, **{name: arrays[name] for name in array_names}, views=views)


def _view(snapshot: Snapshot, view: View, arrays: Arrays) -> PageVectors:
    """Return the page vectors of one view."""
    own = {name: arrays.get(f"{view}.{name}") for name in ("codes", "starts", "residuals", "list_pages", "list_starts")}
    return PageVectors(snapshot, view, {"rows": arrays["page_rows"]} | {n: a for n, a in own.items() if a is not None})
