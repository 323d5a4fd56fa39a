"""Read a collection as it was at one moment, unaffected by later writes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from lancedb.query import MatchQuery
from numpy.typing import NDArray

from indexing.errors import CollectionDamaged
from indexing.storage import FolderRoot
from indexing.store.lance import quote_literal, translate_errors
from indexing.store.rows import COLUMNS, SCHEMAS, document_of, element_of, page_of
from indexing.types import Document, Element, Page, View
from indexing.vectors import Packing

ALL = (1 << 31) - 1
"""A limit above any number of rows: LanceDB has one of ten by default."""
BATCH = 4096
"""The number of pages whose bytes are read at a time."""


class Snapshot:
    """A readable state of a collection at one moment, with row numbers that stay valid for it."""

    def __init__(self, path: FolderRoot, tables: dict[str, Any], packings: Mapping[View, Packing]) -> None:
        """Keep the pinned tables; callers use `Store.snapshot`."""
        self.path = path
        self._tables = tables
        self.packings = packings

    def documents(self) -> tuple[Document, ...]:
        """Return the complete documents."""
        with translate_errors(self.path):
            return tuple(map(document_of, self._tables["documents"].to_arrow().to_pylist()))

    def key(self) -> str:
        """Return a key that is unique to this state, even after the collection was deleted and created again."""
        versions = [f"{name}-{self._tables[name].version}" for name in sorted(self._tables)]
        documents = sorted((d.id, d.path, d.indexed_at, d.n_pages) for d in self.documents())
        return " ".join([*versions, hashlib.sha256(repr(documents).encode()).hexdigest()])

    def page_keys(self) -> pa.Table:
        """Return doc_id, number, landmarks and _rowid of each page."""
        return self._keys("pages", ["doc_id", "number", "names", "name_strengths", "labels", "pictures", "tables"])

    def page_bytes(self, column: str) -> Iterator[tuple[NDArray[np.uint64], pa.Array]]:
        """Yield the row ids and values of a binary column, if there is one, in the order of `page_keys`."""
        with translate_errors(self.path):
            if column not in self._tables["pages"].schema.names:
                return
            query = self._tables["pages"].search().select([column]).with_row_id(True).limit(ALL)
            for batch in query.to_batches(BATCH):
                yield batch["_rowid"].to_numpy(), batch[column]

    def element_keys(self) -> pa.Table:
        """Return doc_id, page, ordinal, kind and _rowid of every element."""
        return self._keys("elements", ["doc_id", "page", "ordinal", "kind"])

    def _keys(self, name: str, columns: list[str]) -> pa.Table:
        with translate_errors(self.path):
            return self._tables[name].search().select(columns).with_row_id(True).limit(ALL).to_arrow()

    def full_text(self, question: str, limit: int, doc_ids: Sequence[str] = ()) -> list[tuple[int, float]]:
        """Return (_rowid, BM25 score) of the elements that match the words of a question, best first."""
        with translate_errors(self.path):
            query = self._tables["elements"].search(MatchQuery(question, "text"), query_type="fts")
            if doc_ids:
                query = query.where(f"doc_id IN ({', '.join(map(quote_literal, doc_ids))})", prefilter=True)
            table = query.select(["_score"]).with_row_id(True).limit(limit).to_arrow()
        return list(zip(table["_rowid"].to_pylist(), table["_score"].to_pylist(), strict=True))

    def packed_vectors(
        self, rows: Sequence[int], view: View = "text"
    ) -> list[tuple[NDArray[np.uint8], NDArray[np.int32]]]:
        """Return for each page row the packed vectors (n, bytes of one), and spans (m, 3): ordinal, first, number."""
        vectors, spans, *_ = COLUMNS[view]
        table = self._rows_by_id("pages", rows, [vectors, spans])
        pairs = zip(table[vectors], table[spans], strict=True)
        return [(_rows(v, np.uint8, self.packings[view].width), _rows(s, np.int32, 3)) for v, s in pairs]

    def vectors(self, rows: Sequence[int], view: View = "text") -> list[tuple[NDArray[Any], NDArray[np.int32]]]:
        """Return the same as `packed_vectors`, with the vectors (n, d), component x 127."""
        return [(self.packings[view].rows(data), spans) for data, spans in self.packed_vectors(rows, view)]

    def regions(self, row: int) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Return the boxes (r, 4) of a page row's regions in fractions of the page and how many vectors each owns."""
        column = self._rows_by_id("pages", [row], ["seen_boxes"])["seen_boxes"]
        table = np.frombuffer(column[0].as_py(), np.float32).reshape(-1, 5)
        return table[:, :4], table[:, 4].astype(np.int32)

    def visual_vectors(self, doc_id: str, number: int) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.int32]]:
        """Return the vectors (n, d) of a page's pixels, boxes (r, 4) of its regions, and how many each owns (r,)."""
        where = f"doc_id = {quote_literal(doc_id)} AND number = {int(number)}"
        with translate_errors(self.path):
            query = self._tables["pages"].search().where(where).select(["number"]).with_row_id(True)
            rows = query.limit(1).to_arrow()["_rowid"].to_pylist()
        if not rows:
            return self.packings["visual"].rows(b""), np.zeros((0, 4), np.float32), np.zeros(0, np.int32)
        return self.vectors(rows, "visual")[0][0], *self.regions(rows[0])

    def elements(self, rows: Sequence[int]) -> list[Element]:
        """Return the elements in the given rows, in that order."""
        return [element_of(row) for row in self._rows_by_id("elements", rows, None).to_pylist()]

    def page_elements(self, doc_id: str, page: int) -> tuple[Element, ...]:
        """Return all elements of a page in reading order, its groups last."""
        return self.elements_between(doc_id, page, page).get(page, ())

    def outlines(self, *, kind: str = "", saying: str = "", doc_id: str = "") -> Iterator[Element]:
        """Yield elements without words and cells, in no order: of a kind, of a document, with a matching text.

        `saying` is a regular expression of the Rust crate `regex`, which runs in linear time. Elements of documents
        that are not complete may be among them. Raises CollectionDamaged.
        """
        where = [f"kind = {quote_literal(kind)}"] if kind else []
        where += [f"regexp_like(text, {quote_literal(saying)})"] if saying else []
        where += [f"doc_id = {quote_literal(doc_id)}"] if doc_id else []
        with translate_errors(self.path):
            columns = [name for name in self._tables["elements"].schema.names if name not in ("words", "cells")]
            query = self._tables["elements"].search().select(columns).limit(ALL)
            query = query.where(" AND ".join(where)) if where else query
            for batch in query.to_batches(BATCH):
                yield from (element_of({**row, "words": b"", "cells": b"[]"}) for row in batch.to_pylist())

    def pages_with_text(self) -> set[tuple[str, int]]:
        """Return (document id, page number) of each page that has a letter or a digit in its text."""
        with translate_errors(self.path):
            query = self._tables["elements"].search().select(["doc_id", "page"]).limit(ALL)
            rows = query.where(r"regexp_like(text, '\w')").to_arrow().group_by(["doc_id", "page"]).aggregate([])
        return set(zip(rows["doc_id"].to_pylist(), rows["page"].to_pylist(), strict=True))

    def page(self, doc_id: str, number: int) -> Page | None:
        """Return a page of a document; None if there is no such page."""
        where = f"doc_id = {quote_literal(doc_id)} AND number = {int(number)}"
        columns = ["doc_id", "number", "width", "height", "rotation", "label"]
        with translate_errors(self.path):
            query = self._tables["pages"].search().where(where).select(columns)
            rows = query.limit(1).to_arrow().to_pylist()
        return page_of(rows[0]) if rows else None

    def page_rows(self, doc_id: str, first: int, last: int) -> dict[int, dict[str, Any]]:
        """Return the stored rows of a document's pages `first` to `last`, by page number."""
        return {row["number"]: row for row in self._rows_between("pages", "number", doc_id, first, last)}

    def elements_between(self, doc_id: str, first: int, last: int) -> dict[int, tuple[Element, ...]]:
        """Return the elements of a document's pages `first` to `last` by page number, in reading order, groups last."""
        elements: dict[int, list[Element]] = {}
        rows = self._rows_between("elements", "page", doc_id, first, last)
        for row in sorted(rows, key=lambda row: (row["page"], row["ordinal"])):
            elements.setdefault(row["page"], []).append(element_of(row))
        return {number: tuple(page_elements) for number, page_elements in elements.items()}

    def _rows_between(self, name: str, number: str, doc_id: str, first: int, last: int) -> list[dict[str, Any]]:
        where = f"doc_id = {quote_literal(doc_id)} AND {number} BETWEEN {int(first)} AND {int(last)}"
        with translate_errors(self.path):
            rows: list[dict[str, Any]] = self._tables[name].search().where(where).limit(ALL).to_arrow().to_pylist()
        return rows

    def _rows_by_id(self, name: str, rows: Sequence[int], columns: Sequence[str] | None) -> pa.Table:
        """Return the rows with these row ids, in that order. Raises CollectionDamaged if one is missing."""
        if not rows:
            return SCHEMAS[name].empty_table()
        order = sorted(set(rows))
        with translate_errors(self.path):
            query = self._tables[name].take_row_ids(order)
            table = (query.select(list(columns)) if columns else query).to_arrow()
        if table.num_rows != len(order):
            raise CollectionDamaged(f"{self.path}: rows of {name} disappeared while they were read: ask again")
        at = {row: i for i, row in enumerate(order)}
        return table.take([at[row] for row in rows])


def _rows(scalar: Any, kind: type, width: int) -> NDArray[Any]:
    """Return a binary value as rows of `width`, without copying it."""
    return np.frombuffer(scalar.as_buffer(), kind).reshape(-1, width)
