"""The database: the LanceDB tables of a collection, made, written and read. `lancedb` is imported here alone.

A page's multi-vector is kept once, in its `pages` row; an element's is a slice of it (`spans`). The `documents` table
is the commit point: rows of the others whose document is not in it do not exist for readers, and the next writer
removes them. `knowledge` (texts that models wrote about elements) is made when there is some.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias

import lancedb
import pyarrow as pa
from lancedb.index import FTS, BTree

from indexing.metadata import Metadata
from indexing.storage import FolderRoot, as_root
from indexing.store.lance import quote_literal, translate_errors
from indexing.store.rows import COLUMNS, KNOWLEDGE, SCHEMAS, document_of, document_row
from indexing.store.snapshot import ALL, Snapshot
from indexing.types import Document, View
from indexing.vectors import Packing

ANEW = "+"
"""The suffix of a document's id in its rows while it is read again; `sweep` deletes those of a killed run."""
Rows: TypeAlias = Sequence[dict[str, Any]]
_KNOWN_AT_ONCE = 4096
COPIED_PAGES = 256
"""The number of pages whose rows are copied at a time: their vectors are held in memory."""


_TABLES = tuple(name for name in SCHEMAS if name != KNOWLEDGE)
"""The tables that every collection has."""


class Store:
    """The three tables of a collection at `path`, with vectors of `dim` dimensions, `bits` each.

    `visual` is the packing of vectors of pixels, by default the same.
    """

    def __init__(
        self, path: FolderRoot | Path, dim: int, visual: Packing | None = None, bits: Literal[4, 8] = 4
    ) -> None:
        """Open the tables, creating missing ones. Raises CollectionDamaged, DiskFull."""
        self.packings: dict[View, Packing] = {"text": Packing(dim, bits), "visual": visual or Packing(dim, bits)}
        self.path = as_root(path)
        with translate_errors(self.path):
            self._db = lancedb.connect(str(self.path), read_consistency_interval=timedelta(0))
            self._tables = {name: self._table(name) for name in _TABLES}

    def _table(self, name: str) -> Any:
        try:
            return self._db.open_table(name)
        except ValueError:
            return self._db.create_table(name, schema=SCHEMAS[name], exist_ok=True)

    def documents(self) -> tuple[Document, ...]:
        """Return all complete documents, oldest first."""
        with translate_errors(self.path):
            documents = map(document_of, self._tables["documents"].to_arrow().to_pylist())
            return tuple(sorted(documents, key=lambda d: (d.indexed_at, d.id)))

    def version(self) -> int:
        """Return a number that grows with every change of the set of documents."""
        with translate_errors(self.path):
            return int(self._tables["documents"].version)

    def add(self, pages: Rows, elements: Rows) -> None:
        """Append rows (`page_row`, `element_row`) of documents that are not complete yet."""
        with translate_errors(self.path):
            for name, rows in (("pages", pages), ("elements", elements)):
                if rows:
                    self._tables[name].add(pa.Table.from_pylist(list(rows), schema=SCHEMAS[name]))

    def publish(self, documents: Sequence[Document]) -> None:
        """Make documents visible in one commit; each replaces the document that came from the same path."""
        table = pa.Table.from_pylist([document_row(d) for d in documents], schema=SCHEMAS["documents"])
        with translate_errors(self.path):
            merge = self._tables["documents"].merge_insert("path")
            merge.when_matched_update_all().when_not_matched_insert_all().execute(table)

    def describe(self, doc_id: str, metadata: Metadata) -> None:
        """Replace the metadata of a published document. Its pages stay as they are."""
        self._update(doc_id, {"metadata": metadata.to_json()})

    def rename(self, doc_id: str, name: str, path: str) -> None:
        """Change name and path of a published document; no other may have that path. Its rows stay as they are."""
        self._update(doc_id, {"name": name, "path": path})

    def _update(self, doc_id: str, values: dict[str, Any]) -> None:
        with translate_errors(self.path):
            self._tables["documents"].update(where=f"id = {quote_literal(doc_id)}", values=values)

    def see(self, document: Document, rows: Rows) -> None:
        """Write visual vectors into the rows of a published document's pages, and its number of seen pages.

        `rows` have the columns of `visual_columns`, and `doc_id` and `number`.
        """
        columns = ["doc_id", "number", *COLUMNS["visual"], "seen_boxes"]
        schema = pa.schema([SCHEMAS["pages"].field(name) for name in columns])
        with translate_errors(self.path):
            if rows:
                merge = self._tables["pages"].merge_insert(["doc_id", "number"]).when_matched_update_all()
                merge.execute(pa.Table.from_pylist(list(rows), schema=schema))
        self._update(document.id, {"seen_pages": document.seen_pages})

    def exchange(self, documents: Sequence[tuple[str, Document]]) -> None:
        """Publish documents, each with the id of its rows: its own or, if it was read again, its own and `ANEW`.

        The latter is first visible under the id of its rows, then under its own. At every moment either its old or its
        new rows are visible and complete, even if this process is killed.
        """
        self.publish([replace(document, id=owner) for owner, document in documents])
        self.settle()

    def settle(self) -> None:
        """Move documents that were read again to their own ids; this also completes an interrupted `exchange`."""
        for document in self.documents():
            if document.id.endswith(ANEW):
                own_id = document.id.removesuffix(ANEW)
                self.remove(own_id)  # the earlier rows
                self._copy_rows(document, own_id)
                self.publish([replace(document, id=own_id)])
                with translate_errors(self.path):
                    for table in self._document_tables():
                        table.delete(f"doc_id = {quote_literal(document.id)}")

    def _copy_rows(self, document: Document, doc_id: str) -> None:
        """Add a document's rows a second time, as rows of `doc_id`."""
        with translate_errors(self.path):
            for first in range(1, document.n_pages + 1, COPIED_PAGES):
                for name, page in (("pages", "number"), ("elements", "page")):
                    own = self._tables[name]
                    last = first + COPIED_PAGES - 1
                    where = f"doc_id = {quote_literal(document.id)} AND {page} BETWEEN {first} AND {last}"
                    rows = own.search().where(where).limit(ALL).to_arrow()
                    if rows.num_rows:
                        ids = pa.array([doc_id] * rows.num_rows, pa.string())
                        own.add(rows.set_column(rows.schema.get_field_index("doc_id"), "doc_id", ids).cast(own.schema))

    def remove(self, doc_id: str) -> None:
        """Delete a document and its rows."""
        with translate_errors(self.path):
            self._tables["documents"].delete(f"id = {quote_literal(doc_id)}")
            for table in self._document_tables():
                table.delete(f"doc_id = {quote_literal(doc_id)}")

    def sweep(self) -> None:
        """Delete the rows of documents that are not complete: those left by a kill, a replacement or a removal.

        Files that LanceDB was writing when it was killed go too: only the writer may call this.
        """
        with translate_errors(self.path):
            # Before the rows: deleting those takes some space.
            self.path.delete_unfinished("**/.tmp*", "**/*.manifest#*")
            complete = {d.id for d in self.documents()}
            for table in self._document_tables():
                present = set(table.search().select(["doc_id"]).limit(ALL).to_arrow()["doc_id"].unique().to_pylist())
                for doc_id in sorted(present - complete):
                    table.delete(f"doc_id = {quote_literal(doc_id)}")

    def optimize(self, keep: timedelta = timedelta(minutes=10)) -> None:
        """Index new rows for full text, merge small files and drop versions older than `keep`."""
        with translate_errors(self.path):
            elements = self._tables["elements"]
            present = {index.name for index in elements.list_indices()}
            if elements.count_rows() and "text_idx" not in present:
                elements.create_index("text", config=FTS(with_position=False, stem=True, remove_stop_words=True))
            if elements.count_rows() and "id_idx" not in present:
                elements.create_index("id", config=BTree())
            for table in (self._tables["documents"], *self._document_tables()):
                # What a killed writer had begun to write belongs to no version: there is no other writer now.
                table.optimize(cleanup_older_than=keep, delete_unverified=True)

    def versions(self) -> int:
        """Count the versions of the tables that are on disk."""
        with translate_errors(self.path):
            return sum(len(table.list_versions()) for table in (self._tables["documents"], *self._document_tables()))

    def knowledge(self, element_ids: Sequence[str], model: str, prompt: str) -> dict[str, str]:
        """Return the texts of elements by that model and prompt, by element id; elements without one are left out."""
        with translate_errors(self.path):
            table = self._knowledge()
            if table is None or not element_ids:
                return {}
            where = f"model = {quote_literal(model)} AND prompt = {quote_literal(prompt)}"
            where += f" AND element_id IN ({', '.join(map(quote_literal, element_ids))})"
            rows = table.search().where(where).select(["element_id", "text"]).limit(ALL).to_arrow().to_pylist()
        return {row["element_id"]: row["text"] for row in rows}

    def keep_knowledge(self, rows: Sequence[dict[str, str]]) -> None:
        """Store rows of the table `KNOWLEDGE`, each replacing an earlier one of the same element, model and prompt."""
        schema = SCHEMAS[KNOWLEDGE]
        with translate_errors(self.path):
            table = self._db.create_table(KNOWLEDGE, schema=schema, exist_ok=True)
            merge = table.merge_insert(["element_id", "model", "prompt"])
            merge = merge.when_matched_update_all().when_not_matched_insert_all()
            merge.execute(pa.Table.from_pylist(list(rows), schema=schema))

    def all_knowledge(self) -> Iterator[list[dict[str, str]]]:
        """Yield all rows of texts that models wrote, some thousands at a time."""
        table = self._knowledge()
        if table is not None:
            with translate_errors(self.path):
                for batch in table.search().limit(ALL).to_batches(_KNOWN_AT_ONCE):
                    yield batch.select(SCHEMAS[KNOWLEDGE].names).to_pylist()

    def _knowledge(self) -> Any:
        """Return the table `KNOWLEDGE`, which another process can have created meanwhile; None if there is none."""
        return self._db.open_table(KNOWLEDGE) if f"{KNOWLEDGE}.lance" in self.path.folders() else None

    def _document_tables(self) -> list[Any]:
        """Return the tables whose rows belong to documents."""
        knowledge = self._knowledge()
        return [self._tables["pages"], self._tables["elements"], *([] if knowledge is None else [knowledge])]

    def snapshot(self) -> Snapshot:
        """Return the collection as it is now, unaffected by later writes."""
        with translate_errors(self.path):
            while True:
                before = self.version()
                tables = {name: self._db.open_table(name) for name in _TABLES}
                for table in tables.values():
                    table.checkout(table.version)
                if self.version() == before:  # no document was added or removed while the three were opened
                    return Snapshot(self.path, tables, self.packings)
