"""Helpers around LanceDB: quote text for its filters, translate its errors, write tables, list a table's files.

The files of a table are written once and never changed; a manifest names those of a version.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

import numpy as np
import pyarrow as pa

from indexing.errors import CollectionDamaged, CollectionThere, DiskFull
from indexing.storage import FolderRoot, StoredFile
from indexing.store.rows import COLUMNS
from indexing.vectors import Packing, normalize

if TYPE_CHECKING:
    from indexing.store.snapshot import Snapshot
    from indexing.types import Element, View


Rows = Literal["pages", "elements"]
_PAGES = 256
"""The number of a document's pages that are read at a time."""
_VECTORS = 200_000
"""The number of vectors that are written at a time: 51 MB at 128 dimensions."""


def quote_literal(value: str) -> str:
    """Return a string literal for a LanceDB filter."""
    return "'" + value.replace("'", "''") + "'"


def is_panic(error: BaseException | None) -> bool:
    """Return True for a panic of LanceDB's Rust code, by the class name; damaged files cause panics."""
    return type(error).__name__ in ("RustPanic", "PanicException")


class translate_errors:  # noqa: N801  reads as a verb: with translate_errors(path)
    """A context manager that turns LanceDB's errors (RuntimeError, ValueError, OSError, panics) into ours."""

    def __init__(self, path: FolderRoot) -> None:
        """Keep the path for the message."""
        self._path = path

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Raise DiskFull or CollectionDamaged for an error of LanceDB."""
        if isinstance(error, (RuntimeError, ValueError, OSError, pa.ArrowException)) or is_panic(error):
            message = str(error)
            if "No space left" in message or "os error 28" in message:
                raise DiskFull(
                    f"{self._path}: the disk is full: free some space and run the same command again"
                ) from error
            first = "its data is damaged" if is_panic(error) else (message.splitlines() or [""])[0][:200]
            raise CollectionDamaged(
                f"{self._path}: cannot be read or written ({first}): restore a backup, or "
                "delete the collection and index its documents again"
            ) from error


def write_plain_table(snapshot: Snapshot, folder: Path, name: str, view: View, rows: Rows, *, replace: bool) -> int:
    """Write the multi-vectors of complete documents as a table that any LanceDB client reads; return its row count.

    `Collection.to_lance` describes the table and the errors.
    """
    import lancedb

    packing = snapshot.packings[view]
    schema = _plain_schema(rows, packing.dim)
    with translate_errors(FolderRoot(folder)):
        database = lancedb.connect(folder)
        if name in database.list_tables().tables:
            if not replace:
                raise CollectionThere(f"{folder} already has a table {name!r}: give another name, or replace=True")
            database.drop_table(name)
        table = database.create_table(name, schema=schema)
        ready, vectors = list[dict[str, Any]](), 0
        for row in _plain_rows(snapshot, view, rows, packing):
            ready.append(row)
            vectors += len(row["vector"])
            if vectors >= _VECTORS:
                table.add(_plain_table(ready, schema))
                ready, vectors = [], 0
        if ready:
            table.add(_plain_table(ready, schema))
        return int(table.count_rows())


def _plain_schema(rows: Rows, dim: int) -> pa.Schema:
    vector = pa.list_(pa.list_(pa.float16(), dim))
    columns: list[tuple[str, pa.DataType]] = [("doc_id", pa.string()), ("document", pa.string()), ("page", pa.int32())]
    if rows == "elements":
        columns += [("element_id", pa.string()), ("kind", pa.string()), ("text", pa.string())]
        columns += [(edge, pa.float64()) for edge in ("x0", "y0", "x1", "y1")]
    return pa.schema([*columns, ("vector", vector)])


def _plain_table(rows: Sequence[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """Return rows as a table, without creating a Python object for each number of their vectors."""
    vectors = [row["vector"] for row in rows]
    flat = pa.FixedSizeListArray.from_arrays(pa.array(np.concatenate(vectors).ravel()), vectors[0].shape[1])
    starts = pa.array(np.cumsum([0, *map(len, vectors)]), pa.int32())
    columns = [pa.array([row[name] for row in rows], schema.field(name).type) for name in schema.names[:-1]]
    return pa.Table.from_arrays([*columns, pa.ListArray.from_arrays(starts, flat)], schema=schema)


def _plain_rows(snapshot: Snapshot, view: View, rows: Rows, packing: Packing) -> Iterator[dict[str, Any]]:
    """Yield the rows of a collection: of a page, or of each of its elements, that has vectors (n, d), of length 1."""
    column, spans_column, *_ = COLUMNS[view]
    for document in snapshot.documents():
        for first in range(1, document.n_pages + 1, _PAGES):
            last = first + _PAGES - 1
            elements = snapshot.elements_between(document.id, first, last) if rows == "elements" else {}
            for number, page in sorted(snapshot.page_rows(document.id, first, last).items()):
                vectors = normalize(packing.rows(page[column]).astype(np.float32)).astype(np.float16)
                columns = {"doc_id": document.id, "document": document.name, "page": number}
                if rows == "pages" and len(vectors):
                    yield {**columns, "vector": vectors}
                spans = np.frombuffer(page[spans_column], np.int32).reshape(-1, 3).tolist()
                members = elements.get(number, ())
                for ordinal, at, count in spans:
                    if 0 <= ordinal < len(members):  # -1: in none of its elements
                        yield {**columns, **_element_columns(members[ordinal]), "vector": vectors[at : at + count]}


def _element_columns(element: Element) -> dict[str, Any]:
    box = dict(zip(("x0", "y0", "x1", "y1"), element.bbox.as_tuple(), strict=True))
    return {"element_id": element.id, "kind": element.kind, "text": element.text, **box}


@dataclass(frozen=True, slots=True)
class TableVersion:
    """The newest version of a table at one moment: the key of its manifest, and all its files, in the table's place.

    None of them is deleted while that version is the newest.
    """

    manifest: str
    files: tuple[StoredFile, ...]


def newest_version(place: FolderRoot) -> TableVersion | None:
    """Return the newest version of the table in a folder; None if there is none.

    Raises FileNotFoundError if a writer deletes old versions meanwhile.
    """
    versions = [file for file in place.below("_versions").files() if file.key.endswith(".manifest")]
    if not versions:
        return None
    newest = _newest(versions)
    content = place.below("_versions").read(newest.key)
    key = f"_versions/{newest.key}"
    manifest = StoredFile(key, newest.size)
    return TableVersion(key, (manifest, *(file for file in place.all_files() if _is_named(file.key, content))))


def _newest(files: Sequence[StoredFile]) -> StoredFile:
    """Return the manifest with the highest version among the files of a table."""
    return max((file for file in files if file.key.endswith(".manifest")), key=lambda file: _version(file.key))


def _is_named(key: str, manifest: bytes) -> bool:
    """Return True for a file of a table that a manifest names, other than a manifest."""
    kind, *rest = key.split("/")
    if kind == "_indices":
        return _is_index_of(rest[0], manifest)
    if kind == "_deletions":
        return True  # few bytes, and named by numbers
    return kind != "_versions" and bool(rest) and rest[-1].encode() in manifest


def _version(key: str) -> int:
    """Return the number of a manifest; newer Lance counts down from 2^64 - 1, so that the newest is listed first."""
    number = int(key.rpartition("/")[2].removesuffix(".manifest"))
    return (1 << 64) - 1 - number if len(key.rpartition("/")[2]) == len("18446744073709551609.manifest") else number


def _is_index_of(name: str, manifest: bytes) -> bool:
    """Return True for the folder of an index that a manifest names by the bytes of its UUID."""
    try:
        return UUID(name).bytes in manifest
    except ValueError:
        return True
