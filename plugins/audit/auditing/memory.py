"""The memory: records that were verified, kept with their collection, so that nobody is asked for them again.

A record is found by its vector, that of its title and of its authors' family names (CiteAudit: cosine 0.92). That only
nominates it: a title with one word exchanged is as near, so the fields decide, in the judge.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from configs import parsed_json
from indexing import Collection
from plugins.audit.auditing.sources import CollectionDocuments
from plugins.audit.auditing.types import Audit, Lookup, Record
from plugins.audit.references import BibliographicFields

if TYPE_CHECKING:
    from indexing.embed import TokenVectors

TAU = 0.92
"""The cosine from which a record is nominated."""
MOST_RECORDS = 50_000
"""The records that are kept; the oldest go first. Their vectors take 26 MB of memory."""
_MOST_FOUND, _MOST_AUTHORS, _MOST_CHARS, _MOST_JSON = 5, 6, 1_000, 200_000
_FILE = "verified.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS verified (
  id INTEGER PRIMARY KEY AUTOINCREMENT, digest BLOB UNIQUE NOT NULL, record TEXT NOT NULL, vector BLOB NOT NULL);
"""

Embed = Callable[[Sequence[str]], "list[TokenVectors]"]


class VerifiedRecords:
    """A `RecordSource` of the records that earlier audits verified. Safe for any thread and for several processes."""

    name = "verified before"

    def __init__(self, path: Path, embed: Embed, *, most: int = MOST_RECORDS) -> None:
        """Keep the file, which is made with the first record, and the embedder of passages of the collection."""
        self._path, self._embed, self._most = path, embed, most
        self._lock = threading.Lock()
        self._rows: sqlite3.Connection | None = None
        self._ids: list[int] = []
        self._vectors: NDArray[np.float32] | None = None

    @classmethod
    def of(cls, collection: Collection) -> VerifiedRecords:
        """Return the memory of a collection."""
        collection.path.mkdir(
            mode=0o700, parents=True, exist_ok=True
        )  # that of one on an object store need not be there
        return cls(collection.path / _FILE, collection.embed_passages)

    def look_up(self, fields: BibliographicFields) -> Lookup:
        """Return the nearest records; "not covered" where none is near, and where the file cannot be read."""
        text = _text(fields)
        if not fields.title.strip() or not self._path.is_file():
            return Lookup(self.name, "not covered", (), "nothing to look for" if self._path.is_file() else "empty")
        try:
            with self._lock:
                rows = self._open()
                self._refresh(rows)
                count = len(self._ids)
                near = self._near(text) if count else []
                query = "SELECT record FROM verified WHERE id = ?"
                found = [rows.execute(query, (self._ids[place],)).fetchone() for place in near]
        except sqlite3.Error as error:
            self.close()
            return Lookup(self.name, "not reachable", (), f"{self._path} cannot be read ({error}): delete it")
        records = tuple(record for row in found if row and (record := _record(row[0])))
        searched = f"title {fields.title[:120]!r} among {count:,} records"
        return Lookup(self.name, "found" if records else "not covered", records, searched)

    def remember(self, record: Record) -> bool:
        """Keep a record that was verified; return False where it has no title, or cannot be kept (a full disk)."""
        kept = json.dumps(record.to_json(), ensure_ascii=False)
        vector = self._vector(_text(record.fields)) if record.fields.title.strip() else None
        if vector is None or len(kept) > _MOST_JSON:
            return False
        digest = blake2b(kept.encode("utf-8", "replace"), digest_size=16).digest()
        try:
            with self._lock, self._open() as rows:
                rows.execute(
                    "INSERT OR IGNORE INTO verified (digest, record, vector) VALUES (?, ?, ?)",
                    (digest, kept, vector.astype(np.float16).tobytes()),
                )
                rows.execute(
                    "DELETE FROM verified WHERE id IN (SELECT id FROM verified ORDER BY id DESC LIMIT -1 OFFSET ?)",
                    (self._most,),
                )
        except (sqlite3.Error, UnicodeEncodeError):
            self.close()
            return False
        return True

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._lock:
            if self._rows is not None:
                self._rows.close()
            self._rows, self._ids, self._vectors = None, [], None

    def _open(self) -> sqlite3.Connection:
        if self._rows is None:
            self._path.touch(mode=0o600)
            self._rows = sqlite3.connect(self._path, check_same_thread=False, timeout=20)
            weakref.finalize(self, self._rows.close)
            self._rows.executescript(_SCHEMA)
        return self._rows

    def _refresh(self, rows: sqlite3.Connection) -> None:
        """Read the vectors that another process, or this one, has written since, and drop those that went."""
        first, last, count = rows.execute("SELECT min(id), max(id), count(*) FROM verified").fetchone()
        known = (self._ids[0], self._ids[-1], len(self._ids)) if self._ids else (None, None, 0)
        if known == (first, last, count):
            return
        after = known[1] if known[0] == first and known[1] is not None else -1
        new = rows.execute("SELECT id, vector FROM verified WHERE id > ? ORDER BY id", (after,)).fetchall()
        ids = [number for number, _ in new]
        vectors = np.array([np.frombuffer(kept, np.float16) for _, kept in new], np.float32)
        old = self._vectors if after >= 0 else None
        self._ids = [*self._ids, *ids] if old is not None else ids
        self._vectors = vectors if old is None else np.concatenate([old, vectors]) if ids else old

    def _near(self, text: str) -> list[int]:
        """Return the places of the nearest vectors, best first."""
        vector = self._vector(text)
        if vector is None or self._vectors is None:
            return []
        cosines = self._vectors @ vector
        order = np.argsort(-cosines)[:_MOST_FOUND]
        return [int(place) for place in order if cosines[place] >= TAU]

    def _vector(self, text: str) -> NDArray[np.float32] | None:
        """Return the mean of a text's token vectors, at length one; None for a text without tokens."""
        tokens = self._embed([text])[0].vectors
        if not len(tokens):
            return None
        mean = tokens.astype(np.float32).mean(axis=0)
        vector: NDArray[np.float32] = (mean / max(float(np.linalg.norm(mean)), 1e-9)).astype(np.float32)
        return vector


def remember_verified(audit: Audit, memory: VerifiedRecords, lasting: Iterable[str]) -> int:
    """Keep the records of the references that are real; return how many.

    `lasting` are the names of the sources that may be believed in later audits, too: not a file that was given for this
    one. Those of the collection's own documents are there already, and are made of what is cited.
    """
    kept = set(lasting) - {CollectionDocuments.name, memory.name}
    real = [entry.record for entry in audit.references if entry.status == "real" and entry.record]
    return sum(memory.remember(record) for record in real if record.source in kept)


def _text(fields: BibliographicFields) -> str:
    """Return what is embedded: the title, and the family names, which initials and their order do not change."""
    families = (
        name.split(",", maxsplit=1)[0] if "," in name else name.rsplit(maxsplit=1)[-1]
        for name in fields.authors[:_MOST_AUTHORS]
        if name.strip()
    )
    return f"{fields.title[:_MOST_CHARS]}\n{', '.join(family[:80] for family in families)}"


def _record(text: str) -> Record | None:
    """Return a record as it was kept; None for what is none."""
    try:
        value = parsed_json(text)
        fields = {name: given for name, given in dict(value["fields"]).items() if name != "doubtful"}
        authors, et_al = tuple(map(str, fields.pop("authors", ()))), bool(fields.pop("et_al", False))
        texts: dict[str, Any] = {name: str(given) for name, given in fields.items()}
        kept = BibliographicFields(authors=authors, et_al=et_al, **texts)
        return Record(kept, str(value["source"]), str(value["key"]), str(value["kind"]))
    except (ValueError, KeyError, TypeError):
        return None
