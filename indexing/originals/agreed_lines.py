"""The verified lines of pages, whose pixels agree with their text, stored so that they are not compared again.

They are stored for whole pages (`indexing.looks`), as one bit a line, without any word of a document. They are invalid
if the file of the page or its lines have changed.
"""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np

from indexing.types import SILENT_KINDS, BBox, Document, Element, LayerWord, layer_lines

LOOK = 2
"""The version of the comparison: results of an earlier one are not used."""
_FILE = "agreed.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS agreed (
  sha256 TEXT NOT NULL, page INTEGER NOT NULL, look INTEGER NOT NULL, digest BLOB NOT NULL, bits BLOB NOT NULL,
  PRIMARY KEY (sha256, page)) WITHOUT ROWID;
"""
_WHOLE = (BBox(0.0, 0.0, 1.0, 1.0),)

Line = tuple[LayerWord, ...]


def lines_of(elements: Iterable[Element]) -> tuple[Line, ...]:
    """Return the lines of a page that can be quoted: not those of headers, footers and the labels of pictures."""
    return layer_lines((e for e in elements if e.kind not in (*SILENT_KINDS, "picture")), _WHOLE)


class AgreedLines:
    """The verified lines of a collection. Safe for any thread, and for several processes.

    If its file cannot be read or written, lines are just compared again.
    """

    def __init__(self, folder: Path) -> None:
        """Keep the folder of the file, which is created when the first page is stored."""
        self._path = folder / _FILE
        self._lock = threading.Lock()
        self._rows: sqlite3.Connection | None = None

    def of(self, document: Document, stamp: str, page: int, lines: Sequence[Line]) -> tuple[Line, ...] | None:
        """Return those of the `lines` of a page (`lines_of`) that are verified; None if they were not compared yet.

        `stamp` is the `Originals.page_stamp` of the document.
        """
        if not self._path.is_file():
            return None
        query = "SELECT bits FROM agreed WHERE sha256 = ? AND page = ? AND look = ? AND digest = ?"
        try:
            with self._lock:
                row = self._open().execute(query, (document.sha256, page, LOOK, _digest(stamp, lines))).fetchone()
        except (sqlite3.Error, OSError):
            self.close()
            return None
        if row is None:
            return None
        bits = np.unpackbits(np.frombuffer(row[0], np.uint8), count=len(lines))
        return tuple(line for line, agrees in zip(lines, bits.tolist(), strict=True) if agrees)

    def keep(self, document: Document, stamp: str, page: int, lines: Sequence[Line], agree: Sequence[bool]) -> bool:
        """Store which `lines` of a page agree with its pixels; return False if that cannot be written (a full disk)."""
        bits = np.packbits(np.array(agree, bool)).tobytes()
        row = (document.sha256, page, LOOK, _digest(stamp, lines), bits)
        try:
            with self._lock, self._open() as rows:
                rows.execute("INSERT OR REPLACE INTO agreed VALUES (?, ?, ?, ?, ?)", row)
        except (sqlite3.Error, OSError):
            self.close()
            return False
        return True

    def forget_others(self, documents: Iterable[Document]) -> None:
        """Delete the lines of all documents but these."""
        if not self._path.is_file():
            return
        try:
            with self._lock, self._open() as rows:
                stored_hashes = {row[0] for row in rows.execute("SELECT DISTINCT sha256 FROM agreed")}
                obsolete = stored_hashes.difference(document.sha256 for document in documents)
                rows.executemany("DELETE FROM agreed WHERE sha256 = ?", [(sha256,) for sha256 in obsolete])
        except (sqlite3.Error, OSError):
            self.close()

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._lock:
            if self._rows is not None:
                self._rows.close()
            self._rows = None

    def _open(self) -> sqlite3.Connection:
        if self._rows is None:
            if not self._path.is_file():  # an existing one can be on a read-only disk
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._path.touch(mode=0o600)
            self._rows = sqlite3.connect(self._path, check_same_thread=False, timeout=20)
            weakref.finalize(self, self._rows.close)
            self._rows.executescript(_SCHEMA)
        return self._rows


def remaining_lines(lines: Sequence[Line], agreed_lines: Sequence[Line]) -> tuple[Line, ...]:
    """Return the lines that are not a part, some consecutive words, of a verified line."""
    starts: dict[LayerWord, list[tuple[Line, int]]] = {}
    for line in agreed_lines:
        for at, word in enumerate(line):
            starts.setdefault(word, []).append((line, at))
    return tuple(
        line for line in lines if not any(other[at : at + len(line)] == line for other, at in starts.get(line[0], ()))
    )


def _digest(stamp: str, lines: Sequence[Line]) -> bytes:
    """Return a hash of the stamp of a page's file and of its words with their boxes."""
    digest = blake2b(stamp.encode(), digest_size=16)
    for line in lines:
        digest.update(b"\n")
        for word in line:
            digest.update(word.text.encode("utf-8", "replace") + b"\0")
            digest.update(np.array(word.bbox.as_tuple(), np.float64).tobytes())
    return digest.digest()
