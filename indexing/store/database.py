"""The database: the LanceDB tables of a collection, made, written and read. `lancedb` is imported here alone.

A page's multi-vector is kept once, in its `pages` row; an element's is a slice of it (`spans`). The `documents` table
is the commit point: rows of the others whose document is not in it do not exist for readers, and the next writer
removes them. `knowledge` (texts that models wrote about elements) is made when there is some.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pyarrow as pa
from lancedb.index import FTS, BTree

from indexing.metadata import Metadata
from indexing.storage import ObjectRoot, StorageRoot, rooted
from indexing.store.lance import quoted, translated
from indexing.store.lock import Confirm, unasked
from indexing.store.mirror import TableMirror, connect
from indexing.store.rows import COLUMNS, document_row, documents_of
from indexing.store.schema import _KNOWLEDGE, _schemas
from indexing.store.snapshot import _ALL, Snapshot
from indexing.types import Document, View
from indexing.vectors import Packing

ANEW = "+"
"""The suffix that makes a document's id the id of its rows while it is read anew; those of a killed run are swept."""
Rows: TypeAlias = "Sequence[dict[str, Any]] | pa.Table"
_KNOWN_AT_ONCE = 4096
COPIED_PAGES = 256
"""The number of pages whose rows are copied at a time: their vectors are held in memory."""


_DOCUMENTED = tuple(name for name in _schemas() if name != _KNOWLEDGE)
"""The tables that every collection has."""


class _Tables(dict[str, Any]):
    """The tables by name, each opened when it is first needed."""

    def __init__(self, opened: Callable[[str], Any]) -> None:
        super().__init__()
        self._opened = opened

    def __missing__(self, name: str) -> Any:
        self[name] = found = self._opened(name)
        return found


class Store:
    """The three tables of a collection at `path`, with vectors of `dim` dimensions, `bits` each.

    Those of pixels are packed as `visual` says (the same if it is not given). `confirm` is asked before each commit.
    """

    def __init__(
        self, path: StorageRoot | Path, dim: int, visual: Packing | None = None, bits: Literal[4, 8] = 4
    ) -> None:
        """Open the tables, making them when they are missing. Raises CollectionDamaged, DiskFull."""
        self.packings: dict[View, Packing] = {"text": Packing(dim, bits), "visual": visual or Packing(dim, bits)}
        self.path = rooted(path)
        self.confirm: Confirm = unasked
        self._mirror = TableMirror(self.path) if isinstance(self.path, ObjectRoot) else None
        self._tables = _Tables(self._table)
        self._shown: tuple[int, Snapshot] | None = None
        with translated(self.path):
            self._db = connect(self.path)
            for name in ("documents",) if self._mirror else _DOCUMENTED:
                self._tables[name]

    def _table(self, name: str) -> Any:
        try:
            return self._db.open_table(name)
        except ValueError as error:
            if self._mirror and "not found" not in str(error):
                raise
            return self._db.create_table(name, schema=_schemas()[name], exist_ok=True)

    @contextlib.contextmanager
    def _commit(self) -> Iterator[None]:
        """Make sure that the right to write is still held, then translate errors. Raises WriterReplaced."""
        self.confirm()
        with translated(self.path):
            yield

    def documents(self) -> tuple[Document, ...]:
        """Return all complete documents, oldest first."""
        with translated(self.path):
            rows = self._tables["documents"].to_arrow().to_pylist()
            found = documents_of(rows)
        return tuple(sorted(found, key=lambda d: (d.indexed_at, d.id)))

    def version(self) -> int:
        """Return a number that grows with every change of the set of documents."""
        with translated(self.path):
            return int(self._tables["documents"].version)

    def add(self, pages: Rows, elements: Rows) -> None:
        """Append rows (`page_row`, `element_row`, or tables of them) of documents that are not complete yet."""
        with self._commit():
            for name, rows in (("pages", pages), ("elements", elements)):
                if len(rows):
                    own = self._tables[name]
                    table = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(list(rows), schema=own.schema)
                    own.add(table.select(own.schema.names).cast(own.schema))

    def schema(self, name: str) -> pa.Schema:
        """Return the schema of a table."""
        with translated(self.path):
            schema: pa.Schema = self._tables[name].schema
        return schema

    def publish(self, documents: Sequence[Document]) -> None:
        """Make documents visible, each in the place of the one that came from the same path, in one commit."""
        table = pa.Table.from_pylist([document_row(d) for d in documents], schema=_schemas()["documents"])
        with self._commit():
            merge = self._tables["documents"].merge_insert("path")
            merge.when_matched_update_all().when_not_matched_insert_all().execute(table)

    def upgrade(self) -> None:
        """Add the columns of texts and counts that tables of an earlier version lack: only the writer may call this.

        They are empty and 0.
        """
        empty = {pa.string(): "cast('' as string)", pa.int32(): "cast(0 as int)"}
        with self._commit():
            for name in _DOCUMENTED:
                table = self._tables[name]
                lacking = {f.name: empty[f.type] for f in _schemas()[name]
                           if f.type in empty and f.name not in table.schema.names}  # fmt: skip
                if lacking:
                    table.add_columns(lacking)

    def describe(self, doc_id: str, metadata: Metadata) -> None:
        """Keep another record of a published document. Its pages stay as they are."""
        with self._commit():
            values = {"metadata": metadata.to_json()}
            self._tables["documents"].update(where=f"id = {quoted(doc_id)}", values=values)

    def see(self, document: Document, rows: Rows) -> None:
        """Put the pixels of pages (`visual_columns`, with document and number) of a published document in their rows.

        The number of its seen pages is kept with them.
        """
        named = ["doc_id", "number", *COLUMNS["visual"], "seen_boxes"]
        schema = pa.schema([self.schema("pages").field(name) for name in named])
        with self._commit():
            if len(rows):
                merge = self._tables["pages"].merge_insert(["doc_id", "number"]).when_matched_update_all()
                merge.execute(pa.Table.from_pylist(list(rows), schema=schema))
            values = {"seen_pages": document.seen_pages}
            self._tables["documents"].update(where=f"id = {quoted(document.id)}", values=values)

    def rename(self, doc_id: str, name: str, path: str) -> None:
        """Show a document under another name and path; no document may be at that path. Its rows stay as they are."""
        with self._commit():
            values = {"name": name, "path": path}
            self._tables["documents"].update(where=f"id = {quoted(doc_id)}", values=values)

    def exchange(self, documents: Sequence[tuple[str, Document]]) -> None:
        """Publish documents, each with the id of its rows: its own or, where it was read anew, its own and `ANEW`.

        One of the latter is visible under the id of its rows at first, then under its own. One reading of it or the
        other is visible and whole at every moment, whatever ends this process.
        """
        self.publish([replace(document, id=owner) for owner, document in documents])
        self.settle()

    def settle(self) -> None:
        """Show documents that were read anew under their own id; this also completes what a kill cut short."""
        for shown in self.documents():
            if shown.id.endswith(ANEW):
                own = shown.id.removesuffix(ANEW)
                self.remove(own)  # the earlier reading
                self._copy_rows(shown, own)
                self.publish([replace(shown, id=own)])
                with self._commit():
                    for table in self._owned():
                        table.delete(f"doc_id = {quoted(shown.id)}")

    def _copy_rows(self, document: Document, doc_id: str) -> None:
        """Add a document's rows a second time, as rows of `doc_id`."""
        with self._commit():
            for first in range(1, document.n_pages + 1, COPIED_PAGES):
                for name, page in (("pages", "number"), ("elements", "page")):
                    own = self._tables[name]
                    where = f"doc_id = {quoted(document.id)} AND {page} BETWEEN {first} AND {first + COPIED_PAGES - 1}"
                    rows = own.search().where(where).limit(_ALL).to_arrow()
                    if rows.num_rows:
                        ids = pa.array([doc_id] * rows.num_rows, pa.string())
                        own.add(rows.set_column(rows.schema.get_field_index("doc_id"), "doc_id", ids).cast(own.schema))

    def remove(self, doc_id: str) -> None:
        """Take a document out, and its rows."""
        with self._commit():
            self._tables["documents"].delete(f"id = {quoted(doc_id)}")
            for table in self._owned():
                self.confirm()
                table.delete(f"doc_id = {quoted(doc_id)}")

    def sweep(self) -> None:
        """Delete the rows of documents that are not complete: those left by a kill, a replacement or a removal.

        Files that LanceDB was writing when it was killed go too: only the writer may call this.
        """
        with self._commit():
            self.path.delete_unfinished(
                "**/.tmp*", "**/*.manifest#*"
            )  # before the rows: deleting those takes some space
            whole = {d.id for d in self.documents()}
            for table in self._owned():
                present = set(table.search().select(["doc_id"]).limit(_ALL).to_arrow()["doc_id"].unique().to_pylist())
                for doc_id in sorted(present - whole):
                    self.confirm()
                    table.delete(f"doc_id = {quoted(doc_id)}")

    def optimize(self, keep: timedelta = timedelta(minutes=10)) -> None:
        """Index new rows for full text, merge small files and drop versions older than `keep`."""
        with self._commit():
            elements = self._tables["elements"]
            present = {index.name for index in elements.list_indices()}
            if elements.count_rows() and "text_idx" not in present:
                elements.create_index("text", config=FTS(with_position=False, stem=True, remove_stop_words=True))
            if elements.count_rows() and "id_idx" not in present:
                elements.create_index("id", config=BTree())
            for table in (self._tables["documents"], *self._owned()):
                self.confirm()
                # What a killed writer had begun to write belongs to no version: there is no other writer now.
                table.optimize(cleanup_older_than=keep, delete_unverified=True)

    def versions(self) -> int:
        """Count the versions of the tables that are on disk."""
        with translated(self.path):
            return sum(len(table.list_versions()) for table in (self._tables["documents"], *self._owned()))

    def knowledge(self, element_ids: Sequence[str], model: str, prompt: str) -> dict[str, str]:
        """Return the texts by that model and prompt, by element id; elements it did not describe are left out."""
        with translated(self.path):
            table = self._knowledge()
            if table is None or not element_ids:
                return {}
            where = f"model = {quoted(model)} AND prompt = {quoted(prompt)}"
            where += f" AND element_id IN ({', '.join(map(quoted, element_ids))})"
            found = table.search().where(where).select(["element_id", "text"]).limit(_ALL).to_arrow().to_pylist()
        return {row["element_id"]: row["text"] for row in found}

    def keep_knowledge(self, rows: Sequence[dict[str, str]]) -> None:
        """Add rows (`element_id`, `doc_id`, `model`, `prompt`, `text`), each replacing an earlier one of the
        same key.
        """
        schema = _schemas()[_KNOWLEDGE]
        with self._commit():
            table = self._db.create_table(_KNOWLEDGE, schema=schema, exist_ok=True)
            merge = table.merge_insert(["element_id", "model", "prompt"])
            merge = merge.when_matched_update_all().when_not_matched_insert_all()
            merge.execute(pa.Table.from_pylist(list(rows), schema=schema))

    def all_knowledge(self) -> Iterator[list[dict[str, str]]]:
        """Yield all rows of texts that models wrote, some thousands at a time."""
        table = self._knowledge()
        if table is not None:
            with translated(self.path):
                for batch in table.search().limit(_ALL).to_batches(_KNOWN_AT_ONCE):
                    yield batch.select(_schemas()[_KNOWLEDGE].names).to_pylist()

    def _knowledge(self) -> Any:
        """Return the table, which another process may have made meanwhile; None when there is none."""
        return self._db.open_table(_KNOWLEDGE) if f"{_KNOWLEDGE}.lance" in self.path.folders() else None

    def _owned(self) -> list[Any]:
        """Return the tables whose rows belong to documents."""
        known = self._knowledge()
        return [self._tables["pages"], self._tables["elements"], *([] if known is None else [known])]

    def of(self, _: str) -> Store:
        """Return itself, which has all documents: a collection in shards has one of these a shard."""
        return self

    def snapshots(self) -> list[Snapshot]:
        """Return the one `snapshot`."""
        return [self.snapshot()]

    def snapshot(self) -> Snapshot:
        """Return the collection as it is now, unmoved by later writes; that on a store by copies on this machine."""
        with translated(self.path):
            while True:
                before = self.version()
                if self._mirror and self._mirror.stands and self._shown and self._shown[0] == before:
                    return self._shown[1]
                taken = self._mirror.snapshot(_DOCUMENTED, self.packings) if self._mirror else None
                taken = taken or self._pinned()
                if self.version() == before:  # no document came or went while the three were pinned
                    self._shown = (before, taken) if self._mirror and self._mirror.stands else None
                    return taken

    def _pinned(self) -> Snapshot:
        """Return the tables where they are, each at the version that it has now."""
        pinned = {name: self._db.open_table(name) for name in _DOCUMENTED}
        for table in pinned.values():
            table.checkout(table.version)
        return Snapshot(self.path, pinned, self.packings)
