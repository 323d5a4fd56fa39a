"""A memory-mapped file of the arrays that search needs, so that a large collection opens without reading it.

The arrays follow one another; after them a footer has the type, shape, offset and checksum of each, and the state of
the collection that they were made from (its key); then come the footer's own length and checksum. The file is written
under another name, and renamed when it is complete. It is used only with the right key, the right length and, for
footer and arrays of up to `CHECKED` bytes, the right checksum. Larger arrays are only read where a search needs them,
and no value in them makes a kernel read outside its arrays.
"""

from __future__ import annotations

import json
import logging
import os
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from configs import parsed_json

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
