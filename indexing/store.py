"""LanceDB: schema, write, read. The only file that imports lancedb.

A page's multi-vector is kept once, in its `pages` row; an element's is a slice of it (`spans`). The `documents` table
is the commit point: rows of `pages` and `elements` whose document is not in it do not exist for readers, and the next
writer removes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.index import FTS, BTree
from lancedb.query import MatchQuery
from numpy.typing import NDArray

from indexing.errors import CollectionDamaged, DiskFull
from indexing.packing import unpack
from indexing.rows import COLUMNS, View, document_of, element_of
from indexing.types import Document, Element, Page


def _schemas() -> dict[str, pa.Schema]:
    text, whole, exact = pa.string(), pa.int32(), pa.float64()
    return {
        "documents": pa.schema(
            [("id", text), ("name", text), ("title", text), ("n_pages", whole), ("sha256", text), ("path", text),
             ("n_elements", whole), ("size", pa.int64()), ("indexed_at", text), ("failed_pages", pa.list_(whole))]
        ),
        "pages": pa.schema(
            [("doc_id", text), ("number", whole), ("width", exact), ("height", exact), ("rotation", whole),
             ("vectors", pa.large_binary()), ("spans", pa.large_binary()), ("codes", pa.binary()),
             ("seen_vectors", pa.large_binary()), ("seen_spans", pa.large_binary()), ("seen_codes", pa.binary()),
             ("seen_boxes", pa.large_binary()), ("names", pa.list_(text)), ("name_strengths", pa.list_(pa.float32())),
             ("labels", pa.list_(whole)), ("pictures", pa.float32()), ("tables", pa.float32())]
        ),
        "elements": pa.schema(
            [("id", text), ("doc_id", text), ("page", whole), ("ordinal", whole), ("kind", text), ("text", text),
             ("x0", exact), ("y0", exact), ("x1", exact), ("y1", exact), ("source", text), ("section", pa.list_(text)),
             ("caption", text), ("parts", pa.list_(text)), ("words", pa.large_binary()), ("cells", pa.large_binary())]
        ),
    }  # fmt: skip


class Store:
    """The three tables of a collection in the folder `path`, vectors of `dim` dimensions."""

    def __init__(self, path: Path, dim: int) -> None:
        """Open the tables, making them when they are missing. Raises CollectionDamaged, DiskFull."""
        self.dim = dim
        with translated(path):
            self._db = lancedb.connect(str(path), read_consistency_interval=timedelta(0))
            self._tables = {
                name: self._db.create_table(name, schema=schema, exist_ok=True) for name, schema in _schemas().items()
            }
        self.path = path

    def documents(self) -> tuple[Document, ...]:
        """All complete documents, oldest first."""
        with translated(self.path):
            rows = self._tables["documents"].to_arrow().to_pylist()
        return tuple(sorted((document_of(row) for row in rows), key=lambda d: (d.indexed_at, d.id)))

    def version(self) -> int:
        """A number that grows with every change of the set of documents."""
        with translated(self.path):
            return int(self._tables["documents"].version)

    def add(self, pages: Sequence[dict[str, Any]], elements: Sequence[dict[str, Any]]) -> None:
        """Append rows (`page_row`, `element_row`) of documents that are not complete yet."""
        with translated(self.path):
            for name, rows in (("pages", pages), ("elements", elements)):
                if rows:
                    self._tables[name].add(pa.Table.from_pylist(list(rows), schema=_schemas()[name]))

    def publish(self, documents: Sequence[Document]) -> None:
        """Make documents visible, each in the place of the one that came from the same path, in one commit."""
        rows = [{**{f: getattr(d, f) for f in d.__slots__}, "failed_pages": list(d.failed_pages)} for d in documents]
        table = pa.Table.from_pylist(rows, schema=_schemas()["documents"])
        with translated(self.path):
            merge = self._tables["documents"].merge_insert("path")
            merge.when_matched_update_all().when_not_matched_insert_all().execute(table)

    def remove(self, doc_id: str) -> None:
        """Take a document out; its rows follow."""
        with translated(self.path):
            self._tables["documents"].delete(f"id = {quoted(doc_id)}")
            for name in ("pages", "elements"):
                self._tables[name].delete(f"doc_id = {quoted(doc_id)}")

    def sweep(self) -> None:
        """Delete the rows of documents that are not complete: left by a kill, a replacement or a removal."""
        with translated(self.path):
            whole = {d.id for d in self.documents()}
            for name in ("pages", "elements"):
                table = self._tables[name]
                present = set(table.search().select(["doc_id"]).limit(_ALL).to_arrow()["doc_id"].unique().to_pylist())
                for doc_id in sorted(present - whole):
                    table.delete(f"doc_id = {quoted(doc_id)}")

    def optimize(self, keep: timedelta = timedelta(minutes=10)) -> None:
        """Index new rows for full text, merge small files and drop versions older than `keep`."""
        with translated(self.path):
            elements = self._tables["elements"]
            present = {index.name for index in elements.list_indices()}
            if elements.count_rows() and "text_idx" not in present:
                elements.create_index("text", config=FTS(with_position=False, stem=True, remove_stop_words=True))
            if elements.count_rows() and "id_idx" not in present:
                elements.create_index("id", config=BTree())
            for table in self._tables.values():
                table.optimize(cleanup_older_than=keep)

    def versions(self) -> int:
        """Versions of the tables that are on disk."""
        with translated(self.path):
            return sum(len(table.list_versions()) for table in self._tables.values())

    def snapshot(self) -> Snapshot:
        """The collection as it is now, unmoved by later writes."""
        with translated(self.path):
            while True:
                before = self.version()
                pinned = {name: self._db.open_table(name) for name in self._tables}
                for table in pinned.values():
                    table.checkout(table.version)
                if self.version() == before:  # no document came or went while the three were pinned
                    return Snapshot(self.path, pinned, self.dim)


_ALL = (1 << 31) - 1


class Snapshot:
    """Readable state of a collection at one moment, with row numbers that stay valid for it."""

    def __init__(self, path: Path, tables: dict[str, Any], dim: int) -> None:
        """Use `Store.snapshot`."""
        self.path = path
        self._tables = tables
        self._dim = dim

    def documents(self) -> tuple[Document, ...]:
        """The complete documents."""
        with translated(self.path):
            return tuple(document_of(row) for row in self._tables["documents"].to_arrow().to_pylist())

    def page_keys(self) -> pa.Table:
        """doc_id, number, codes, landmarks and _rowid of every page."""
        columns = ["doc_id", "number", "codes", "seen_codes", "names", "name_strengths", "labels", "pictures", "tables"]
        with translated(self.path):
            query = self._tables["pages"].search().select(columns)
            return query.with_row_id(True).limit(_ALL).to_arrow()

    def element_keys(self) -> pa.Table:
        """doc_id, page, ordinal, kind and _rowid of every element."""
        columns = ["doc_id", "page", "ordinal", "kind"]
        with translated(self.path):
            return self._tables["elements"].search().select(columns).with_row_id(True).limit(_ALL).to_arrow()

    def full_text(self, question: str, limit: int, doc_ids: Sequence[str] = ()) -> list[tuple[int, float]]:
        """(_rowid, BM25 score) of the elements that match a question, best first; the question is no query language."""
        with translated(self.path):
            query = self._tables["elements"].search(MatchQuery(question, "text"), query_type="fts")
            if doc_ids:
                query = query.where(f"doc_id IN ({', '.join(map(quoted, doc_ids))})", prefilter=True)
            found = query.select(["_score"]).with_row_id(True).limit(limit).to_arrow()
        return list(zip(found["_rowid"].to_pylist(), found["_score"].to_pylist(), strict=True))

    def packed(self, rows: Sequence[int], view: View = "text") -> list[tuple[NDArray[np.uint8], NDArray[np.int32]]]:
        """For each page row: its vectors as `indexing.packing` packs them (n, d / 2), and spans (m, 3): ordinal, first
        vector, number of vectors.
        """
        vectors, spans, _ = COLUMNS[view]
        found = self._take("pages", rows, [vectors, spans])
        pairs = zip(found[vectors], found[spans], strict=True)
        return [(_rows(v, np.uint8, self._dim // 2), _rows(s, np.int32, 3)) for v, s in pairs]

    def vectors(self, rows: Sequence[int], view: View = "text") -> list[tuple[NDArray[np.int8], NDArray[np.int32]]]:
        """As `packed`, with the vectors (n, d) as int8."""
        return [(unpack(data, self._dim), spans) for data, spans in self.packed(rows, view)]

    def regions(self, row: int) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Of a page row, the boxes (r, 4) of its regions in fractions of the page and how many vectors each owns."""
        raw = np.frombuffer(self._take("pages", [row], ["seen_boxes"])["seen_boxes"][0].as_py(), np.float32)
        table = raw.reshape(-1, 5)
        return table[:, :4], table[:, 4].astype(np.int32)

    def elements(self, rows: Sequence[int]) -> list[Element]:
        """The elements in the given rows, in that order."""
        return [element_of(row) for row in self._take("elements", rows, None).to_pylist()]

    def page_elements(self, doc_id: str, page: int) -> tuple[Element, ...]:
        """All elements of a page in reading order, its groups last."""
        where = f"doc_id = {quoted(doc_id)} AND page = {int(page)}"
        with translated(self.path):
            rows = self._tables["elements"].search().where(where).limit(_ALL).to_arrow().to_pylist()
        return tuple(element_of(row) for row in sorted(rows, key=lambda r: r["ordinal"]))

    def page(self, doc_id: str, number: int) -> Page | None:
        """One page, or None."""
        where = f"doc_id = {quoted(doc_id)} AND number = {int(number)}"
        columns = ["doc_id", "number", "width", "height", "rotation"]
        with translated(self.path):
            rows = self._tables["pages"].search().where(where).select(columns).limit(1).to_arrow().to_pylist()
        return Page(**rows[0]) if rows else None

    def _take(self, name: str, rows: Sequence[int], columns: Sequence[str] | None) -> pa.Table:
        if not rows:
            return pa.Table.from_pylist([], schema=_schemas()[name])
        order = sorted(set(rows))
        with translated(self.path):
            query = self._tables[name].take_row_ids(order)
            found = (query.select(list(columns)) if columns else query).to_arrow()
        if found.num_rows != len(order):
            raise CollectionDamaged(f"{self.path}: {name} lost rows while they were read: ask again")
        at = {row: i for i, row in enumerate(order)}
        return found.take([at[row] for row in rows])


def _rows(scalar: Any, kind: type, width: int) -> NDArray[Any]:
    """What a binary value holds, as rows of `width`, without copying it."""
    return np.frombuffer(scalar.as_buffer(), kind).reshape(-1, width)


def quoted(value: str) -> str:
    """A string literal for a LanceDB filter."""
    return "'" + value.replace("'", "''") + "'"


class translated:  # noqa: N801  reads as a verb: with translated(path)
    """Turns LanceDB's errors, which come as RuntimeError, ValueError or OSError, into ours."""

    def __init__(self, path: Path) -> None:
        """`path` is named in the message."""
        self._path = path

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Raise DiskFull or CollectionDamaged for what LanceDB raised."""
        if isinstance(error, (RuntimeError, ValueError, OSError, pa.ArrowException)):
            said = str(error)
            if "No space left" in said or "os error 28" in said:
                raise DiskFull(
                    f"{self._path}: the disk is full: free some space and run the same command again"
                ) from error
            raise CollectionDamaged(
                f"{self._path}: cannot be read or written ({said.splitlines()[0][:200]})"
            ) from error
