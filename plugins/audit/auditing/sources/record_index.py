"""An index of records: a bibliography of any size in one SQLite file, found by identifier, title or first author.

Titles are in FTS5 without their text or positions; a look-up begins at the rarest words of the title, so that a word
that is another in the reference does not hide the work. Safe to read from any thread and from several processes.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from anyascii import anyascii
from rapidfuzz import fuzz

from configs import parsed_json
from indexing import is_collection_name
from plugins.audit.auditing.sources.identifiers import family_name, plain_title, same_identifier, without_version
from plugins.audit.auditing.sources.readers import read_records
from plugins.audit.auditing.types import Lookup, Record
from plugins.audit.errors import BibliographyUnreadable, NoSuchBibliography
from plugins.audit.references import BibliographicFields, Reference

NEAR = 0.7
"""The similarity of titles, 0 to 1, from which a candidate counts as found."""
MOST_CANDIDATES = 5
LEAST_PRINTED = 0.9
"""The similarity from which a part of an entry's text is a record's title."""
MOST_SEARCHED = 150
"""The words of a title or a text by which it is searched."""
MOST_TEXT = 2_000
"""The characters of an entry that are searched for titles."""
_BATCH, _MOST_ROWS, _LEAST = 5_000, 60, 0.55
OPENING_SECONDS = 60.0
"""The longest time that another connection is awaited which writes to the file."""
_COMMON = 20_000
"""The works that may have a word which is looked up by itself."""
_MOST_SCANNED = 400_000
"""The works that may have the words of one search, added up: so many entries of the index are read."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS records (
  id INTEGER PRIMARY KEY, digest INTEGER UNIQUE, title TEXT, authors TEXT, et_al INTEGER, venue TEXT, year TEXT,
  doi TEXT, arxiv TEXT, url TEXT, key TEXT, kind TEXT, surname TEXT, title_key INTEGER);
CREATE UNIQUE INDEX IF NOT EXISTS by_doi ON records (doi COLLATE NOCASE) WHERE doi != '';
CREATE INDEX IF NOT EXISTS by_arxiv ON records (arxiv) WHERE arxiv != '';
CREATE INDEX IF NOT EXISTS by_surname ON records (surname, year) WHERE surname != '';
CREATE INDEX IF NOT EXISTS by_title ON records (title_key);
CREATE VIRTUAL TABLE IF NOT EXISTS titles USING fts5 (title, content='', detail='none', tokenize='ascii');
CREATE TABLE IF NOT EXISTS words (word TEXT PRIMARY KEY, works INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS told (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
"""
_INSERT = """INSERT OR IGNORE INTO records
  (digest, title, authors, et_al, venue, year, doi, arxiv, url, key, kind, surname, title_key)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_BY_ID = "SELECT title, authors, et_al, venue, year, doi, arxiv, url, key, kind FROM records WHERE id = ?"
_BY_DOI = "SELECT id FROM records WHERE doi = ? COLLATE NOCASE AND doi != '' LIMIT 5"
_BY_ARXIV = "SELECT id FROM records WHERE arxiv = ? AND arxiv != '' LIMIT 5"
_BY_SURNAME = "SELECT id FROM records WHERE surname = ? AND surname != '' AND year = ? LIMIT ?"
_BY_TITLE = "SELECT id FROM records WHERE title_key = ? LIMIT ?"
_BY_WORDS = "SELECT rowid FROM titles WHERE titles MATCH ? LIMIT ?"


def index_path(home: Path, name: str) -> Path:
    """Return the file of a named bibliography. Raises NoSuchBibliography for a name that none can have."""
    if not is_collection_name(name):
        raise NoSuchBibliography(f"{name!r} cannot name a bibliography: use letters, digits, dots, dashes, underscores")
    return home / ".bibliographies" / f"{name}.sqlite"


def list_indexes(home: Path) -> tuple[Path, ...]:
    """Return the files of all bibliographies of a home, by name."""
    return tuple(sorted((home / ".bibliographies").glob("*.sqlite")))


class RecordIndex:
    """A bibliography in a file: filled by `add`, asked by `look_up`; a `RecordSource`."""

    def __init__(self, path: Path, *, make: bool = False) -> None:
        """Open the file, or make it. Raises NoSuchBibliography, and BibliographyUnreadable for a damaged file."""
        if not make and not path.is_file():
            raise NoSuchBibliography(
                f"there is no bibliography {path.stem!r}: `vouch bibliography list` lists those that exist"
            )
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path = path
        self._lock = threading.Lock()
        self._rows = sqlite3.connect(path, check_same_thread=False, timeout=OPENING_SECONDS)
        weakref.finalize(self, self._rows.close)
        try:
            self._rows.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;" if make else "SELECT count(*) FROM told")
        except sqlite3.DatabaseError as error:
            self._rows.close()
            raise BibliographyUnreadable(
                f"{path}: is not an index of records, or another program is writing to it ({error}): try again, or "
                "delete it and add its files again"
            ) from error

    @property
    def name(self) -> str:
        """The name of the bibliography."""
        return self.path.stem

    @property
    def count(self) -> int:
        """The number of its records."""
        return int(self._one("SELECT count(*) FROM records"))

    @property
    def complete(self) -> bool:
        """True where its owner promises that it has every work that is asked for."""
        return bool(self._one("SELECT value FROM told WHERE name = 'promise'") == "all")

    @complete.setter
    def complete(self, complete: bool) -> None:
        with self._lock, self._rows:
            self._rows.execute("INSERT OR REPLACE INTO told VALUES ('promise', ?)", ("all" if complete else "",))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._rows.close()

    def add(self, files: Sequence[Path], report: Callable[[str, int, int], None] = lambda *_: None) -> int:
        """Read files into the index; return how many records are new. Raises BibliographyUnreadable.

        What was read is kept at every 5,000 records, whatever ends it, and then told: the name of the file, its records
        so far, and those that are new. A work that is there already, by DOI or by title, authors and year, is not added
        again.
        """
        return sum(self.fill(read_records(file, self.name), partial(report, file.name)) for file in files)

    def fill(self, records: Iterable[Record], report: Callable[[int, int], None] = lambda *_: None) -> int:
        """Write records; return how many are new."""
        stream, n_read, n_added = iter(records), 0, 0
        while batch := list(itertools.islice(stream, _BATCH)):
            n_read += len(batch)
            n_added += self._write(batch)
            report(n_read, n_added)
        return n_added

    def _write(self, batch: Sequence[Record]) -> int:
        """Write records, all or nothing; return how many are new."""
        words: Counter[str] = Counter()
        n_added = 0
        with self._lock, self._rows:
            for record in batch:
                title = plain_title(record.fields.title)
                cursor = self._rows.execute(
                    _INSERT,
                    (_digest(title, record.fields), *_row(record), _surname(record.fields.authors), _hash64(title)),
                )
                if cursor.rowcount == 1:
                    n_added += 1
                    self._rows.execute("INSERT INTO titles (rowid, title) VALUES (?, ?)", (cursor.lastrowid, title))
                    words.update(set(title.split()))
            self._rows.executemany(
                "INSERT INTO words VALUES (?, ?) ON CONFLICT (word) DO UPDATE SET works = works + excluded.works",
                sorted(words.items()),
            )
        return n_added

    def look_up(self, reference: Reference) -> Lookup:
        """Return the nearest records: by identifier, by first author and year, by the rarest words of the title.

        Where no record has the title that was read, those are found too whose title and first author the text prints.
        """
        fields, text = reference.fields, plain_title(reference.text, MOST_TEXT)
        try:
            with self._lock:
                ids = list(dict.fromkeys(self._candidates(fields, text)))
                rows = [self._record(number) for number in ids]
            complete = self.complete
        except (sqlite3.Error, ValueError, TypeError) as error:
            return Lookup(self.name, "not reachable", (), f"{self.path.name} cannot be read ({error})")
        ranking = sorted(((_similarity(fields, text, row), row) for row in rows), key=lambda pair: -pair[0])
        same_work = [row for row in rows if same_identifier(fields, row.fields)]
        near = [row for score, row in ranking if score >= _LEAST and row not in same_work]
        records = tuple((*same_work, *near)[:MOST_CANDIDATES])
        hit = bool(same_work) or (bool(ranking) and ranking[0][0] >= NEAR)
        first = fields.authors[0][:60] if fields.authors else ""
        terms = {"DOI": fields.doi, "arXiv": fields.arxiv, "title": fields.title[:120], "first author": first}
        search_note = ", ".join(f"{name} {value}" for name, value in terms.items() if value)
        return Lookup(
            self.name, "found" if hit else "nothing" if complete else "not covered", records, search_note, complete
        )

    def _candidates(self, fields: BibliographicFields, text: str) -> Iterator[int]:
        if fields.doi:
            yield from self._ids(_BY_DOI, fields.doi)
        if fields.arxiv:
            yield from self._ids(_BY_ARXIV, without_version(fields.arxiv))
        yield from self._by_title(plain_title(fields.title), text, sure="title" not in fields.doubtful)
        if surname := _surname(fields.authors):
            yield from self._ids(_BY_SURNAME, surname, fields.year[:4], _MOST_ROWS)

    def _by_title(self, title: str, text: str, *, sure: bool) -> Iterator[int]:
        """Yield works of a title; of none, or of one that is not sure, those with the rarest words of title or text."""
        same = self._ids(_BY_TITLE, _hash64(title), _MOST_ROWS) if title else []
        yield from same
        if not same:
            yield from self._by_words(title)
        if not same or not sure:
            yield from self._by_words(text)

    def _by_words(self, text: str) -> Iterator[int]:
        """Yield works whose titles have the rarest words of a text, those that have most of them first."""
        counts = [(works, word) for word in set(text.split()[:MOST_SEARCHED]) if (works := self._works(word))]
        rare = sorted(counts)[:5]
        queries = [rare[:4], *itertools.combinations(rare, 3), *itertools.combinations(rare, 2)]
        queries += [[one] for one in rare[:2] if one[0] <= _COMMON]
        seen: set[int] = set()
        for some in queries:
            if len(seen) >= _MOST_ROWS:
                return
            if some and sum(works for works, _ in some) <= _MOST_SCANNED:
                query = " AND ".join(f'"{word}"' for _, word in some)
                ids = self._ids(_BY_WORDS, query, _MOST_ROWS)
                seen.update(ids)
                yield from ids

    def _works(self, word: str) -> int:
        row = self._rows.execute("SELECT works FROM words WHERE word = ?", (word,)).fetchone()
        return int(row[0]) if row else 0

    def _record(self, number: int) -> Record:
        title, authors, *rest, key, kind = self._rows.execute(_BY_ID, (number,)).fetchone()
        et_al, venue, year, doi, arxiv, url = rest
        fields = BibliographicFields(title, tuple(parsed_json(authors)), bool(et_al), venue, year, doi, arxiv, url)
        return Record(fields, self.name, key, kind)

    def _ids(self, query: str, *values: str | int) -> list[int]:
        return [row[0] for row in self._rows.execute(query, values)]

    def _one(self, query: str) -> Any:
        with self._lock:
            row = self._rows.execute(query).fetchone()
        return row[0] if row else None


def _row(record: Record) -> tuple[object, ...]:
    f = record.fields
    authors = json.dumps(f.authors, ensure_ascii=False, separators=(",", ":"))
    return (
        f.title,
        authors,
        f.et_al,
        f.venue,
        f.year[:4],
        f.doi,
        without_version(f.arxiv),
        f.url,
        record.key,
        record.kind,
    )


def _digest(title: str, fields: BibliographicFields) -> int:
    """Return what tells a work from others: of its title, the surnames of its authors and its year (64 bits)."""
    surnames = ",".join(_surname((author,)) for author in fields.authors)
    return _hash64(f"{title}|{surnames}|{fields.year[:4]}|{fields.arxiv}" if title else repr(fields))


def _hash64(text: str) -> int:
    """Return 64 bits of a text."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), signed=True)


def _surname(authors: Sequence[str]) -> str:
    """Return the family name of the first author in lower case and ASCII: before a comma, else the last word."""
    return anyascii(family_name(authors[0])[:100]).lower().strip() if authors else ""


def _similarity(fields: BibliographicFields, text: str, record: Record) -> float:
    """Return how near two titles are, 0 to 1; of two that are as near, shared authors and the year tell which is.

    A title that the text prints, and the name of its first author, is as near as that part of the text.
    """
    record_title = plain_title(record.fields.title)
    title = fuzz.token_sort_ratio(plain_title(fields.title), record_title) / 100
    surname = _surname(record.fields.authors)
    if title < LEAST_PRINTED and surname and surname in text and len(record_title) <= len(text):
        score = fuzz.partial_ratio(record_title, text, score_cutoff=100 * LEAST_PRINTED) / 100
        title = max(title, score)
    own = {_surname((author,)) for author in fields.authors}
    theirs = {_surname((author,)) for author in record.fields.authors}
    shared = len(own & theirs) / max(1, len(own | theirs))
    return title + 0.02 * shared + 0.01 * (fields.year[:4] == record.fields.year[:4])
