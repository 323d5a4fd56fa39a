"""The index that search holds in memory of a collection: its pages and elements, and the names and numbers on pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indexing.hints import Hints
from indexing.search.page_vectors import ORDINALS, PageVectors
from indexing.store import COLUMNS, Snapshot
from indexing.types import DRAWN_KINDS, SILENT_KINDS, View

LABEL = 0.9
"""The certainty that a page with a number in its header or footer, the only such, is the page of that number."""


@dataclass(frozen=True, slots=True)
class MemoryIndex:
    """The pages in one order: `doc` (p,) the position of their document in `doc_ids`, `number` (p,) from 1.

    `last` (p,) is True for those that end it, `pictures` and `tables` (p,) are how much of them these cover, `named`
    and `labelled` the places of captions and of printed page numbers. `keys` (e,), sorted, and `rows` (e,) lead from an
    element that is searched to its row, and `drawn` (e,) marks pictures and tables; `every_key` and `every_row` do so
    for all elements, groups and headers too.
    """

    doc_ids: tuple[str, ...]
    doc: NDArray[np.int32]
    number: NDArray[np.int32]
    last: NDArray[np.bool_]
    pictures: NDArray[np.float32]
    tables: NDArray[np.float32]
    named: dict[str, list[tuple[int, float]]]
    labelled: dict[int, list[int]]
    keys: NDArray[np.int64]
    rows: NDArray[np.int64]
    drawn: NDArray[np.bool_]
    every_key: NDArray[np.int64]
    every_row: NDArray[np.int64]
    views: dict[View, PageVectors]

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self.doc)

    def allowed(self, doc_ids: Sequence[str]) -> NDArray[np.bool_]:
        """Return which pages (p,) belong to the documents; all of them when none is named."""
        if not doc_ids:
            return np.ones(len(self), bool)
        return np.isin(self.doc, [n for n, doc in enumerate(self.doc_ids) if doc in set(doc_ids)])

    def unseen(self, doc_ids: Sequence[str], images: Sequence[str] = ()) -> tuple[int, int]:
        """Count the pages of the documents that have text and no visual vector, and all of their pages with text.

        Of the documents `images` the pixels were read: a page without a visual vector has no text, but a name.
        """
        visual = self.views["visual"].present
        with_text = self.allowed(doc_ids) & self.views["text"].present
        if images:
            with_text &= visual | ~self.allowed(images)
        return int((with_text & ~visual).sum()), int(with_text.sum())

    def row(self, key: int) -> int:
        """Return the row of an element."""
        return int(self.rows[np.searchsorted(self.keys, key)])

    def rows_on(self, doc_id: str, number: int) -> list[int]:
        """Return the rows of all elements of a page, in their order; none when there is no such page."""
        if doc_id not in self.doc_ids:
            return []
        found = np.flatnonzero((self.doc == self.doc_ids.index(doc_id)) & (self.number == number))
        if not len(found):
            return []
        first, last = np.searchsorted(self.every_key, (found[0] * ORDINALS, (found[0] + 1) * ORDINALS))
        return [int(row) for row in self.every_row[first:last]]

    def keys_of_rows(self, rows: Sequence[int]) -> NDArray[np.int64]:
        """Return the elements in rows, -1 for a row that is not searched."""
        order = np.argsort(self.rows)
        at = np.searchsorted(self.rows, rows, sorter=order)
        found = order[np.minimum(at, len(order) - 1)] if len(order) else np.zeros(len(rows), np.int64)
        if not len(order):
            return np.full(len(rows), -1, np.int64)
        return np.where(self.rows[found] == np.asarray(rows), self.keys[found], -1)

    def placed(self, hints: Hints) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return how surely (p,) each page is one whose number is named, and one with a named figure, table, ..."""
        by_number, by_name = np.zeros(len(self), np.float32), np.zeros(len(self), np.float32)
        for number in hints.pages:
            for page in self.labelled.get(number, ()):
                by_number[page] = max(by_number[page], LABEL)
            by_number[self.last if number == -1 else self.number == number] = 1.0
        for name in hints.names:
            for page, strength in self.named.get(name, ()):
                by_name[page] = max(by_name[page], strength)
        return by_number, by_name


def read_memory_index(snapshot: Snapshot) -> MemoryIndex:
    """Read the index of all complete documents."""
    documents = {d.id: d.n_pages for d in snapshot.documents()}
    doc_ids = tuple(documents)
    table = snapshot.page_keys()
    owner = _positions(table["doc_id"], doc_ids)
    if (owner < 0).any():
        table, owner = table.filter(pa.array(owner >= 0)), owner[owner >= 0]
    number = table["number"].to_numpy().astype(np.int32)
    named: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for page, (names, strengths) in enumerate(
        zip(table["names"].to_pylist(), table["name_strengths"].to_pylist(), strict=True)
    ):
        for name, strength in zip(names, strengths, strict=True):
            named[name].append((page, strength))
    keys, rows, searched, drawn = _elements(snapshot, doc_ids, owner, number)
    page_rows = table["_rowid"].to_numpy()
    return MemoryIndex(
        doc_ids,
        owner,
        number,
        number == np.array([documents[doc_ids[d]] for d in owner], np.int32),
        table["pictures"].to_numpy(),
        table["tables"].to_numpy(),
        named,
        _labelled(owner, table["labels"].to_pylist()),
        keys[searched],
        rows[searched],
        drawn[searched],
        keys,
        rows,
        {view: _view(snapshot, view, page_rows, table) for view in COLUMNS},
    )


def _positions(values: pa.ChunkedArray, order: Sequence[str]) -> NDArray[np.int32]:
    """Return for each string its place in `order`, -1 for one that is not there."""
    encoded = values.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    place = {value: n for n, value in enumerate(order)}
    of_code = np.array([place.get(value, -1) for value in encoded.dictionary.to_pylist()], np.int32)
    indices = encoded.indices.to_numpy()
    return of_code[indices] if len(of_code) else np.zeros(0, np.int32)


def _elements(
    snapshot: Snapshot, doc_ids: Sequence[str], owner: NDArray[np.int32], number: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return keys, sorted, and rows of all elements, and masks of those searched and of pictures or tables."""
    table = snapshot.element_keys()
    doc = _positions(table["doc_id"], doc_ids)
    searched = _positions(table["kind"], SILENT_KINDS) < 0
    drawn = _positions(table["kind"], DRAWN_KINDS) >= 0
    kept = doc >= 0
    place = owner.astype(np.int64) * ORDINALS + number
    order = np.argsort(place)
    wanted = doc[kept].astype(np.int64) * ORDINALS + table["page"].to_numpy()[kept]
    at = np.searchsorted(place, wanted, sorter=order)
    page = order[np.minimum(at, max(len(order) - 1, 0))] if len(order) else np.zeros(0, np.int64)
    there = place[page] == wanted if len(order) else np.zeros(len(wanted), bool)
    keys = page[there] * ORDINALS + table["ordinal"].to_numpy()[kept][there] + 1
    rows = table["_rowid"].to_numpy()[kept][there].astype(np.int64)
    sorting = np.argsort(keys)
    return keys[sorting], rows[sorting], searched[kept][there][sorting], drawn[kept][there][sorting]


def _labelled(owner: NDArray[np.int32], labels: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    """Map a number in a header or footer to its pages, where each is the only one of its document to bear it."""
    bearers: dict[tuple[int, int], list[int]] = defaultdict(list)
    for page, (doc, found) in enumerate(zip(owner.tolist(), labels, strict=True)):
        for label in found:
            bearers[doc, label].append(page)
    labelled: dict[int, list[int]] = defaultdict(list)
    for (_, label), pages in bearers.items():
        if len(pages) == 1:
            labelled[label].append(pages[0])
    return labelled


def _view(snapshot: Snapshot, view: View, rows: NDArray[np.uint64], table: pa.Table) -> PageVectors:
    """Return the page vectors of one view."""
    _, _, codes, residuals = COLUMNS[view]
    known, starts = _bytes(table[codes])
    return PageVectors(
        snapshot, view, rows, known, starts, _bytes(table[residuals])[0] if residuals in table.column_names else None
    )


def _bytes(column: pa.ChunkedArray) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the bytes of all values one after another, and the starts of each value (p + 1,)."""
    held, lengths = [np.zeros(0, np.uint8)], [np.zeros(0, np.int64)]
    for values in column.chunks:
        _, offsets, data = values.buffers()
        kind = np.int64 if pa.types.is_large_binary(values.type) else np.int32
        starts = np.frombuffer(offsets, kind)[values.offset : values.offset + len(values) + 1].astype(np.int64)
        if data is not None:
            held.append(np.frombuffer(data, np.uint8)[starts[0] : starts[-1]])
        lengths.append(np.diff(starts))
    return np.concatenate(held), np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64)
