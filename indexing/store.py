"""LanceDB: schema, write, read. The only file that imports lancedb.

A page's multi-vector is kept once, in its `pages` row; an element's is a slice of it (`spans`). The `documents` table
is the commit point: rows of the others whose document is not in it do not exist for readers, and the next writer
removes them. `knowledge` (what models said of elements) is made when there is some.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.index import FTS, BTree
from lancedb.query import MatchQuery
from numpy.typing import NDArray

from indexing.errors import CollectionDamaged
from indexing.lance import quoted, translated
from indexing.packing import Packing
from indexing.rows import COLUMNS, View, document_of, element_of
from indexing.types import Document, Element, Page

_KNOWLEDGE = "knowledge"
"""The table of `indexing.knowledge`."""


def _raw(name: str) -> pa.Field:
    """A column of packed vectors: nothing can compress them, and trying makes reading them take three times as long."""
    return pa.field(name, pa.large_binary(), metadata={"lance-encoding:compression": "none"})


def _schemas() -> dict[str, pa.Schema]:
    text, whole, exact = pa.string(), pa.int32(), pa.float64()
    return {
        "documents": pa.schema(
            [("id", text), ("name", text), ("title", text), ("n_pages", whole), ("sha256", text), ("path", text),
             ("n_elements", whole), ("size", pa.int64()), ("indexed_at", text), ("failed_pages", pa.list_(whole))]
        ),
        "pages": pa.schema(
            [("doc_id", text), ("number", whole), ("width", exact), ("height", exact), ("rotation", whole),
             _raw("vectors"), _raw("spans"), ("codes", pa.binary()), _raw("seen_vectors"), _raw("seen_spans"),
             ("seen_codes", pa.binary()), _raw("residuals"), _raw("seen_residuals"),
             ("seen_boxes", pa.large_binary()), ("names", pa.list_(text)),
             ("name_strengths", pa.list_(pa.float32())), ("labels", pa.list_(whole)), ("pictures", pa.float32()),
             ("tables", pa.float32())]
        ),
        "elements": pa.schema(
            [("id", text), ("doc_id", text), ("page", whole), ("ordinal", whole), ("kind", text), ("text", text),
             ("x0", exact), ("y0", exact), ("x1", exact), ("y1", exact), ("source", text), ("section", pa.list_(text)),
             ("caption", text), ("parts", pa.list_(text)), ("words", pa.large_binary()), ("cells", pa.large_binary())]
        ),
        _KNOWLEDGE: pa.schema([(n, text) for n in ("element_id", "doc_id", "model", "prompt", "text")]),
    }  # fmt: skip


class Store:
    """The three tables of a collection in the folder `path`, vectors of `dim` dimensions, those of pixels as `seen`
    says (the same if it is not given).
    """

    def __init__(self, path: Path, dim: int, seen: Packing | None = None) -> None:
        """Open the tables, making them when they are missing. Raises CollectionDamaged, DiskFull."""
        self.packings: dict[View, Packing] = {"text": Packing(dim), "pixels": seen or Packing(dim)}
        with translated(path):
            self._db = lancedb.connect(str(path), read_consistency_interval=timedelta(0))
            self._tables = {name: self._table(name) for name in _schemas() if name != _KNOWLEDGE}
        self.path = path

    def _table(self, name: str) -> Any:
        try:
            return self._db.open_table(name)
        except ValueError:  # not there
            return self._db.create_table(name, schema=_schemas()[name], exist_ok=True)

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
                    own = self._tables[name]
                    own.add(pa.Table.from_pylist(list(rows), schema=own.schema))

    def publish(self, documents: Sequence[Document]) -> None:
        """Make documents visible, each in the place of the one that came from the same path, in one commit."""
        rows = [{**{f: getattr(d, f) for f in d.__slots__}, "failed_pages": list(d.failed_pages)} for d in documents]
        table = pa.Table.from_pylist(rows, schema=_schemas()["documents"])
        with translated(self.path):
            merge = self._tables["documents"].merge_insert("path")
            merge.when_matched_update_all().when_not_matched_insert_all().execute(table)

    def exchange(self, ids: Sequence[tuple[str, str]]) -> None:
        """For each (other id, id): put rows added under the other id in the place of a document's own.

        The document is out of sight, never half in sight, until it is published again, which is to follow at once.
        """
        for other, doc_id in ids:
            self.remove(doc_id)
            with translated(self.path):
                for name in ("pages", "elements"):
                    self._tables[name].update(where=f"doc_id = {quoted(other)}", values={"doc_id": doc_id})

    def remove(self, doc_id: str) -> None:
        """Take a document out; its rows follow."""
        with translated(self.path):
            self._tables["documents"].delete(f"id = {quoted(doc_id)}")
            for table in self._owned():
                table.delete(f"doc_id = {quoted(doc_id)}")

    def sweep(self) -> None:
        """Delete the rows of documents that are not complete: left by a kill, a replacement or a removal."""
        with translated(self.path):
            whole = {d.id for d in self.documents()}
            for table in self._owned():
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
            for table in (self._tables["documents"], *self._owned()):
                table.optimize(cleanup_older_than=keep)

    def versions(self) -> int:
        """Versions of the tables that are on disk."""
        with translated(self.path):
            return sum(len(table.list_versions()) for table in (self._tables["documents"], *self._owned()))

    def knowledge(self, element_ids: Sequence[str], model: str, prompt: str) -> dict[str, str]:
        """What that model said of elements under that prompt, by element id; those it did not describe are left out."""
        with translated(self.path):
            table = self._knowledge()
            if table is None or not element_ids:
                return {}
            where = f"model = {quoted(model)} AND prompt = {quoted(prompt)}"
            where += f" AND element_id IN ({', '.join(map(quoted, element_ids))})"
            found = table.search().where(where).select(["element_id", "text"]).limit(_ALL).to_arrow().to_pylist()
        return {row["element_id"]: row["text"] for row in found}

    def keep_knowledge(self, rows: Sequence[dict[str, str]]) -> None:
        """Add rows (`element_id`, `doc_id`, `model`, `prompt`, `text`), each in the place of one that says the same."""
        schema = _schemas()[_KNOWLEDGE]
        with translated(self.path):
            table = self._db.create_table(_KNOWLEDGE, schema=schema, exist_ok=True)
            merge = table.merge_insert(["element_id", "model", "prompt"])
            merge = merge.when_matched_update_all().when_not_matched_insert_all()
            merge.execute(pa.Table.from_pylist(list(rows), schema=schema))

    def _knowledge(self) -> Any:
        """The table, which another process may have made meanwhile; None when there is none."""
        return self._db.open_table(_KNOWLEDGE) if (self.path / f"{_KNOWLEDGE}.lance").is_dir() else None

    def _owned(self) -> list[Any]:
        """The tables whose rows belong to documents."""
        known = self._knowledge()
        return [self._tables["pages"], self._tables["elements"], *([] if known is None else [known])]

    def snapshot(self) -> Snapshot:
        """The collection as it is now, unmoved by later writes."""
        with translated(self.path):
            while True:
                before = self.version()
                pinned = {name: self._db.open_table(name) for name in self._tables}
                for table in pinned.values():
                    table.checkout(table.version)
                if self.version() == before:  # no document came or went while the three were pinned
                    return Snapshot(self.path, pinned, self.packings)


_ALL = (1 << 31) - 1


class Snapshot:
    """Readable state of a collection at one moment, with row numbers that stay valid for it."""

    def __init__(self, path: Path, tables: dict[str, Any], packings: Mapping[View, Packing]) -> None:
        """Use `Store.snapshot`."""
        self.path = path
        self._tables = tables
        self.packings = packings

    def documents(self) -> tuple[Document, ...]:
        """The complete documents."""
        with translated(self.path):
            return tuple(document_of(row) for row in self._tables["documents"].to_arrow().to_pylist())

    def page_keys(self) -> pa.Table:
        """doc_id, number, codes, residuals (not in collections of an older Vouch), landmarks, _rowid of each page."""
        columns = ["doc_id", "number", "names", "name_strengths", "labels", "pictures", "tables"]
        columns += [name for view in COLUMNS.values() for name in view[2:]]
        with translated(self.path):
            there = self._tables["pages"].schema.names
            query = self._tables["pages"].search().select([name for name in columns if name in there])
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
        """For each page row: its vectors as they are packed (n, bytes of a vector), and spans (m, 3): ordinal, first
        vector, number of vectors.
        """
        vectors, spans, *_ = COLUMNS[view]
        found = self._take("pages", rows, [vectors, spans])
        pairs = zip(found[vectors], found[spans], strict=True)
        return [(_rows(v, np.uint8, self.packings[view].width), _rows(s, np.int32, 3)) for v, s in pairs]

    def vectors(self, rows: Sequence[int], view: View = "text") -> list[tuple[NDArray[Any], NDArray[np.int32]]]:
        """As `packed`, with the vectors (n, d), component x 127."""
        return [(self.packings[view].rows(data), spans) for data, spans in self.packed(rows, view)]

    def regions(self, row: int) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Of a page row, the boxes (r, 4) of its regions in fractions of the page and how many vectors each owns."""
        raw = np.frombuffer(self._take("pages", [row], ["seen_boxes"])["seen_boxes"][0].as_py(), np.float32)
        table = raw.reshape(-1, 5)
        return table[:, :4], table[:, 4].astype(np.int32)

    def seen(self, doc_id: str, number: int) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.int32]]:
        """Of a page's pixels: vectors (n, d), boxes (r, 4) of its regions, and how many vectors each owns (r,)."""
        where = f"doc_id = {quoted(doc_id)} AND number = {int(number)}"
        with translated(self.path):
            query = self._tables["pages"].search().where(where).select(["number"]).with_row_id(True)
            rows = query.limit(1).to_arrow()["_rowid"].to_pylist()
        if not rows:
            return self.packings["pixels"].rows(b""), np.zeros((0, 4), np.float32), np.zeros(0, np.int32)
        return self.vectors(rows, "pixels")[0][0], *self.regions(rows[0])

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
