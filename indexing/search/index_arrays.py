"""The arrays of a memory index: read from the tables of a collection, kept in a file that is mapped into memory.

The arrays follow one another; after them a footer has the type, shape, offset and checksum of each, and the state of
the collection that they were made from (its key); then come the footer's own length and checksum. The file is written
under another name, and renamed when it is complete. It is used only with the right key, the right length and, for
footer and arrays of up to `CHECKED` bytes, the right checksum. Larger arrays are only read where a search needs them,
and no value in them makes a kernel read outside its arrays.

Those of a small collection are read whenever it is opened. A collection of more than `KEPT_PAGES` pages keeps them in a
file beside its tables, which is written when it is first opened in a state.
"""

from __future__ import annotations

import json
import logging
import os
import struct
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from configs import parsed_json
from indexing.errors import CollectionDamaged
from indexing.store import COLUMNS, Snapshot
from indexing.types import DRAWN_KINDS, SILENT_KINDS
from indexing.vectors import InvertedLists

MAGIC = b"VOUCHIX1"
CHECKED = 16 << 20
_TAIL = struct.Struct("<QI8s")
_ALIGNMENT = 64

log = logging.getLogger(__name__)


class ArrayFile:
    """A context manager that writes a file of arrays, and renames it to its path at the end if nothing failed."""

    def __init__(self, path: Path, key: str) -> None:
        """Create the file, readable by its owner alone. Raises OSError."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path, self._part = path, path.with_name(f"{path.name}.{os.getpid()}.part")
        self._footer: dict[str, Any] = {"key": key, "arrays": {}}
        self._file: BinaryIO = os.fdopen(os.open(self._part, os.O_CREAT | os.O_TRUNC | os.O_RDWR, 0o600), "w+b")

    def add(self, name: str, parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
        """Write the parts of an array one after another; return the array, mapped from the file."""
        self._file.write(bytes(-self._file.tell() % _ALIGNMENT))
        at, rows, checksum = self._file.tell(), 0, 0
        kind, shape = "|u1", tuple[int, ...]()
        for part in map(np.ascontiguousarray, parts):
            kind, shape = part.dtype.str, part.shape[1:]
            raw = part.view(np.uint8).reshape(-1).data if part.size else b""
            self._file.write(raw)
            checksum, rows = zlib.crc32(raw, checksum), rows + len(part)
        self._footer["arrays"][name] = [kind, [rows, *shape], at, checksum]
        self._file.flush()
        return _map_array(np.memmap(self._part, np.uint8, "r"), kind, [rows, *shape], at)

    def __enter__(self) -> ArrayFile:
        """Return the file itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Finish the file, or delete it after an error."""
        try:
            if kind is None:
                footer = json.dumps(self._footer).encode()
                self._file.write(footer + _TAIL.pack(len(footer), zlib.crc32(footer), MAGIC))
                self._file.flush()
                os.fsync(self._file.fileno())
                self._file.close()
                self._part.replace(self._path)
        finally:
            self._file.close()
            self._part.unlink(missing_ok=True)


def map_arrays(path: Path, key: str) -> dict[str, NDArray[Any]] | None:
    """Return the arrays of a file, memory-mapped; None if it is missing, has another key, or is damaged (logged)."""
    try:
        content = np.memmap(path, np.uint8, "r")
        footer, end = _footer(content)
        if footer["key"] != key:
            return None  # of an earlier state
        return {name: _verify_array(content[:end], name, *entry) for name, entry in footer["arrays"].items()}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
        log.warning("%s is damaged (%s) and will be made again", path, error)
        return None


def _verify_array(
    content: NDArray[np.uint8], name: str, kind: str, shape: list[int], at: int, checksum: int
) -> NDArray[Any]:
    """Return an array in a mapped file. Raises ValueError if its checksum, for up to `CHECKED` bytes, is wrong."""
    raw = content[at : at + int(np.prod(shape)) * np.dtype(kind).itemsize]
    if len(raw) <= CHECKED and zlib.crc32(raw.data) != checksum:
        raise ValueError(f"{name} differs from what was written")
    return _map_array(content, kind, shape, at)


def _footer(content: NDArray[np.uint8]) -> tuple[Any, int]:
    """Return the footer of a mapped file, and the offset at which the arrays end. Raises ValueError, struct.error."""
    length, checksum, magic = _TAIL.unpack(content[-_TAIL.size :].tobytes())
    end = len(content) - _TAIL.size - length
    raw = content[max(end, 0) : end + length].tobytes()
    if magic != MAGIC or end < 0 or zlib.crc32(raw) != checksum:
        raise ValueError("its end differs from what was written")
    return parsed_json(raw), end


def _map_array(content: NDArray[np.uint8], kind: str, shape: list[int], at: int) -> NDArray[Any]:
    """Return the array of type `kind` and `shape` that begins at byte `at` of a mapped file."""
    size = int(np.prod(shape)) * np.dtype(kind).itemsize
    return np.asarray(content[at : at + size]).view(kind).reshape(shape)


KEPT_PAGES = 5_000
"""The number of pages up to which a collection is read at every opening: it takes less than half a second."""
ORDINALS = 1 << 20
"""The factor in an element's key, its page's position x ORDINALS + its ordinal + 1; so 0 stands for no element."""

Arrays = dict[str, NDArray[Any]]
_Parts = Iterator[tuple[str, Iterator[NDArray[Any]]]]


def index_file(snapshot: Snapshot) -> Path:
    """Return the path of a collection's array file, beside its tables."""
    return snapshot.path.parent.folder / "search" / "arrays"


def index_arrays(snapshot: Snapshot, *, rebuild: bool = False, kept_pages: int = KEPT_PAGES) -> Arrays:
    """Return the arrays of a state; those of over `kept_pages` pages are in a file, which `rebuild` writes again."""
    if sum(document.n_pages for document in snapshot.documents()) <= kept_pages:
        return _gather_arrays(snapshot)
    path, key = index_file(snapshot), snapshot.key()
    stored_arrays = None if rebuild else map_arrays(path, key)
    if stored_arrays is not None:
        return stored_arrays
    try:
        with ArrayFile(path, key) as file:
            arrays = {name: file.add(name, parts) for name, parts in _array_parts(snapshot)}
            for view in COLUMNS:
                if len(arrays[f"{view}.residuals"]):
                    lists = InvertedLists.of(arrays[f"{view}.codes"].view(np.uint16), arrays[f"{view}.starts"] // 2)
                    file.add(f"{view}.list_pages", iter([lists.pages]))
                    file.add(f"{view}.list_starts", iter([lists.starts]))
    except OSError as error:
        log.warning(
            "%s cannot be written (%s): the collection will be read in full each time it is opened",
            path,
            error.strerror,
        )
        return _gather_arrays(snapshot)
    return map_arrays(path, key) or _gather_arrays(snapshot)


def _gather_arrays(snapshot: Snapshot) -> Arrays:
    return {name: np.concatenate(list(parts)) for name, parts in _array_parts(snapshot)}


def _array_parts(snapshot: Snapshot) -> _Parts:
    """Yield the arrays by name, each in parts: those of pages, of their names and numbers, of views, of elements."""
    documents = {d.id: d.n_pages for d in snapshot.documents()}
    table = snapshot.page_keys()
    owner = _positions(table["doc_id"], tuple(documents))
    mask = owner >= 0
    rows = table["_rowid"].to_numpy()
    if not mask.all():
        table = table.filter(pa.array(mask))
    owner, number = owner[mask], table["number"].to_numpy().astype(np.int32)
    yield from _single_parts(
        doc_ids=np.array([*documents, ""], "S"), doc=owner, number=number,
        last=number == np.array(list(documents.values()), np.int32)[owner],
        pictures=table["pictures"].to_numpy(), tables=table["tables"].to_numpy(), page_rows=table["_rowid"].to_numpy(),
    )  # fmt: skip
    yield from _name_arrays(table["names"].to_pylist(), table["name_strengths"].to_pylist())
    yield from _label_arrays(owner, table["labels"].to_pylist())
    for view, (_, _, codes, residuals) in COLUMNS.items():
        lengths: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]
        yield f"{view}.codes", _column_bytes(snapshot, codes, rows, mask, lengths)
        yield from _single_parts(**{f"{view}.starts": np.cumsum(np.concatenate(lengths))})
        yield f"{view}.residuals", _column_bytes(snapshot, residuals, rows, mask, [])
    yield from _element_arrays(snapshot, tuple(documents), owner, number)


def _single_parts(**arrays: NDArray[Any]) -> _Parts:
    for name, array in arrays.items():
        yield name, iter([array])


def _column_bytes(
    snapshot: Snapshot,
    column: str,
    rows: NDArray[np.uint64],
    mask: NDArray[np.bool_],
    lengths: list[NDArray[np.int64]],
) -> Iterator[NDArray[np.uint8]]:
    """Yield the bytes of a column for the pages in `mask`, and append the length of each to `lengths`."""
    yield np.zeros(0, np.uint8)
    at = 0
    for ids, values in snapshot.page_bytes(column):
        if not np.array_equal(ids, rows[at : at + len(ids)]):
            raise CollectionDamaged(f"{snapshot.path}: the order of its pages changed while they were read: ask again")
        selection = values.filter(pa.array(mask[at : at + len(ids)]))
        at += len(ids)
        _, offsets, data = selection.buffers()
        kind = np.int64 if pa.types.is_large_binary(selection.type) else np.int32
        starts = np.frombuffer(offsets, kind)[selection.offset : selection.offset + len(selection) + 1].astype(np.int64)
        lengths.append(np.diff(starts))
        if data is not None and len(selection):
            yield np.frombuffer(data, np.uint8)[starts[0] : starts[-1]]


def _name_arrays(names: Sequence[Sequence[str]], strengths: Sequence[Sequence[float]]) -> _Parts:
    """Yield the sorted names on pages (`Landmarks.names`), each with its page and its strength."""
    entries = [
        (name.encode(), page, strength)
        for page, (page_names, page_strengths) in enumerate(zip(names, strengths, strict=True))
        for name, strength in zip(page_names, page_strengths, strict=True)
    ]
    entries.sort(key=lambda each: each[0])
    yield from _single_parts(
        names=np.array([name for name, _, _ in entries], "S"),
        name_pages=np.array([page for _, page, _ in entries], np.int64),
        name_strengths=np.array([strength for _, _, strength in entries], np.float32),
    )


def _label_arrays(owner: NDArray[np.int32], labels: Sequence[Sequence[int]]) -> _Parts:
    """Yield the sorted numbers that only one page of a document has in headers and footers, each with that page."""
    bearers: dict[tuple[int, int], list[int]] = defaultdict(list)
    for page, (doc, page_labels) in enumerate(zip(owner.tolist(), labels, strict=True)):
        for label in page_labels:
            bearers[doc, label].append(page)
    alone = sorted((label, pages[0]) for (_, label), pages in bearers.items() if len(pages) == 1)
    yield from _single_parts(
        labels=np.array([label for label, _ in alone], np.int64), label_pages=np.array([p for _, p in alone], np.int64)
    )


def _element_arrays(
    snapshot: Snapshot, doc_ids: Sequence[str], owner: NDArray[np.int32], number: NDArray[np.int32]
) -> _Parts:
    """Yield sorted keys and rows of all elements, then of those that are searched, with the order of their rows."""
    table = snapshot.element_keys()
    doc = _positions(table["doc_id"], doc_ids)
    is_searched = _positions(table["kind"], SILENT_KINDS) < 0
    is_drawn = _positions(table["kind"], DRAWN_KINDS) >= 0
    mask = doc >= 0
    page_places = owner.astype(np.int64) * ORDINALS + number
    order = np.argsort(page_places)
    element_places = doc[mask].astype(np.int64) * ORDINALS + table["page"].to_numpy()[mask]
    at = np.searchsorted(page_places, element_places, sorter=order)
    page = order[np.minimum(at, max(len(order) - 1, 0))] if len(order) else np.zeros(0, np.int64)
    has_page = page_places[page] == element_places if len(order) else np.zeros(len(element_places), bool)
    keys = page[has_page] * ORDINALS + table["ordinal"].to_numpy()[mask][has_page] + 1
    rows = table["_rowid"].to_numpy()[mask][has_page].astype(np.int64)
    sorting = np.argsort(keys)
    keys, rows = keys[sorting].astype(np.int64), rows[sorting]
    selection = is_searched[mask][has_page][sorting]
    yield from _single_parts(
        every_key=keys, every_row=rows, keys=keys[selection], rows=rows[selection],
        drawn=is_drawn[mask][has_page][sorting][selection], by_row=np.argsort(rows[selection]).astype(np.int64),
    )  # fmt: skip


def _positions(values: pa.ChunkedArray, order: Sequence[str]) -> NDArray[np.int32]:
    """Return the index of each string in `order`, -1 if it is missing."""
    encoding = values.combine_chunks().dictionary_encode()
    if isinstance(encoding, pa.ChunkedArray):
        encoding = encoding.combine_chunks()
    index_of = {value: n for n, value in enumerate(order)}
    index_by_code = np.array([index_of.get(value, -1) for value in encoding.dictionary.to_pylist()], np.int32)
    indices = encoding.indices.to_numpy()
    return index_by_code[indices] if len(index_by_code) else np.zeros(0, np.int32)
