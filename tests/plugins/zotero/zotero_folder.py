"""A Zotero data folder made by SQL, with the tables of Zotero 5 to 7 that a reader meets."""

import json
import sqlite3
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indexing import Metadata

SCHEMA = """
CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT, templateItemTypeID INT, display INT DEFAULT 1);
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT, fieldFormatID INT);
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT NOT NULL, libraryID INT NOT NULL, key TEXT NOT NULL,
    version INT NOT NULL DEFAULT 0, synced INT NOT NULL DEFAULT 0, UNIQUE (libraryID, key));
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value UNIQUE);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID, PRIMARY KEY (itemID, fieldID));
CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT, contentType TEXT, path TEXT);
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE itemTags (itemID INT NOT NULL, tagID INT NOT NULL, type INT NOT NULL, PRIMARY KEY (itemID, tagID));
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, fieldMode INT);
CREATE TABLE itemCreators (itemID INT NOT NULL, creatorID INT NOT NULL, creatorTypeID INT NOT NULL, orderIndex INT);
CREATE TABLE collections (collectionID INTEGER PRIMARY KEY, collectionName TEXT NOT NULL, parentCollectionID INT,
    libraryID INT NOT NULL, key TEXT NOT NULL);
CREATE TABLE collectionItems (collectionID INT NOT NULL, itemID INT NOT NULL, orderIndex INT NOT NULL DEFAULT 0);
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY, dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL);
CREATE TABLE deletedCollections (collectionID INTEGER PRIMARY KEY, dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL);
"""
PDF = b"%PDF-1.4\n"


@dataclass
class ZoteroFolder:
    """A data folder that is being made: `add` works, files and collections to it."""

    path: Path
    connection: sqlite3.Connection = field(init=False)
    known: dict[tuple[str, str], int] = field(default_factory=dict)
    items: int = 0

    def __post_init__(self) -> None:
        """Make the folder and its tables."""
        (self.path / "storage").mkdir(parents=True)
        # Where a test lets go of one, the garbage collector closes it, in whichever thread it runs.
        self.connection = sqlite3.connect(self.path / "zotero.sqlite", check_same_thread=False)
        self.connection.executescript(SCHEMA)
        weakref.finalize(self, self.connection.close)

    def _number(self, table: str, columns: str, value: str) -> int:
        """Return the number of a named thing, put into its table the first time."""
        if (table, value) not in self.known:
            self.known[table, value] = n = len([1 for known, _ in self.known if known == table]) + 1
            self.connection.execute(f"INSERT INTO {table} ({columns}) VALUES (?, ?)", (n, value))
        return self.known[table, value]

    def _item(self, kind: str) -> int:
        self.items += 1
        number = self._number("itemTypes", "itemTypeID, typeName", kind)
        row = (self.items, number, 1, f"KEY{self.items:05d}")
        self.connection.execute("INSERT INTO items (itemID, itemTypeID, libraryID, key) VALUES (?, ?, ?, ?)", row)
        return self.items

    def work(
        self,
        kind: str,
        fields: Mapping[str, str],
        people: Sequence[tuple[str, str, str]] = (),
        tags: Sequence[str] = (),
    ) -> int:
        """Add a work; `people` are (role, given name, family name), without a given name in one piece."""
        item = self._item(kind)
        for name, value in fields.items():
            which = self._number("fields", "fieldID, fieldName", name)
            held = self._number("itemDataValues", "valueID, value", value)
            self.connection.execute("INSERT INTO itemData VALUES (?, ?, ?)", (item, which, held))
        for n, (role, given, family) in enumerate(people):
            role_number = self._number("creatorTypes", "creatorTypeID, creatorType", role)
            made = self.connection.execute(
                "INSERT INTO creators (firstName, lastName, fieldMode) VALUES (?, ?, ?)",
                (given, family, int(not given)),
            )
            self.connection.execute(
                "INSERT INTO itemCreators VALUES (?, ?, ?, ?)", (item, made.lastrowid, role_number, n)
            )
        for tag in tags:
            number = self._number("tags", "tagID, name", tag)
            self.connection.execute("INSERT INTO itemTags VALUES (?, ?, 0)", (item, number))
        return item

    def attach(self, parent: int | None, path: str, mode: int = 0, data: bytes | None = PDF) -> Path:
        """Attach a file to a work; one in the storage is written there, if it has `data`."""
        item = self._item("attachment")
        row = (item, parent, mode, "application/pdf", path)
        self.connection.execute(
            "INSERT INTO itemAttachments (itemID, parentItemID, linkMode, contentType, path) VALUES (?, ?, ?, ?, ?)",
            row,
        )
        file = self.path / "storage" / f"KEY{item:05d}" / path.removeprefix("storage:")
        if path.startswith("storage:") and data is not None:
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(data)
        return file

    def collect(self, number: int, name: str, parent: int | None = None, works: Sequence[int] = ()) -> None:
        """Add a collection."""
        row = (number, name, parent, f"COLL{number:04d}")
        self.connection.execute(
            "INSERT INTO collections (collectionID, collectionName, parentCollectionID, libraryID, key) "
            "VALUES (?, ?, ?, 1, ?)",
            row,
        )
        for work in works:
            self.connection.execute("INSERT INTO collectionItems VALUES (?, ?, 0)", (number, work))

    def delete(self, item: int) -> None:
        """Put an item into the bin."""
        self.connection.execute("INSERT INTO deletedItems (itemID) VALUES (?)", (item,))

    def done(self) -> Path:
        """Commit, close, and return the folder."""
        self.connection.commit()
        self.connection.close()
        return self.path


def record_of(metadata: Metadata) -> dict[str, Any]:
    """Return the CSL-JSON of the metadata of a file."""
    record: dict[str, Any] = json.loads(metadata.record)
    return record


def small_library(path: Path) -> ZoteroFolder:
    """Return a folder with an article, its PDF and its snapshot, in two collections."""
    folder = ZoteroFolder(path)
    article = folder.work(
        "journalArticle",
        {
            "title": "Cider & the weather", "date": "2015-03-00 March 2015", "publicationTitle": "Journal of Orchards",
            "volume": "12", "issue": "3", "pages": "101-120", "DOI": "10.1000/182", "language": "en-GB",
            "url": "https://example.org/cider", "extra": "Citation Key: holmCider2015\nother: line",
        },
        [("author", "Anna", "Holm"), ("author", "", "The Mill and Sons"), ("editor", "Bo", "Ek")],
        ["apples", "weather"],
    )  # fmt: skip
    folder.attach(article, "storage:Holm 2015.pdf")
    folder.attach(article, "storage:snapshot.html", 1)
    folder.collect(1, "Thesis")
    folder.collect(2, "Chapter 2/3", 1, [article])
    folder.collect(3, "Read", None, [article])
    return folder
