"""The items of a Zotero database: each attachment with the work it belongs to, its tags and its collections."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from indexing import TooLarge
from plugins.zotero.records import MOST_NAMES, Creator, csl_of, one_line, texts
from plugins.zotero.types import MOST_FILES

MOST_COLLECTIONS = 50_000
DEEPEST = 20
"""The depth of a collection in others that its path tells."""
LINKED = 2
"""Zotero's link mode of a file that lies elsewhere than in its storage."""
_ATTACHMENTS = """
    SELECT a.itemID, a.parentItemID, a.linkMode, substr(a.path, 1, 4096), substr(i.key, 1, 40)
    FROM itemAttachments a JOIN items i ON i.itemID = a.itemID
    WHERE a.path IS NOT NULL AND a.linkMode IN (0, 1, 2)
      AND a.itemID NOT IN (SELECT itemID FROM deletedItems)
      AND (a.parentItemID IS NULL OR a.parentItemID NOT IN (SELECT itemID FROM deletedItems))
    ORDER BY a.itemID LIMIT ?"""
_TYPE = "SELECT t.typeName FROM items i JOIN itemTypes t ON t.itemTypeID = i.itemTypeID WHERE i.itemID = ?"
_FIELDS = """
    SELECT f.fieldName, substr(v.value, 1, ?) FROM itemData d
    JOIN fields f ON f.fieldID = d.fieldID JOIN itemDataValues v ON v.valueID = d.valueID
    WHERE d.itemID = ? LIMIT 300"""
_CREATORS = """
    SELECT t.creatorType, substr(c.firstName, 1, 500), substr(c.lastName, 1, 500), c.fieldMode
    FROM itemCreators ic JOIN creators c ON c.creatorID = ic.creatorID
    JOIN creatorTypes t ON t.creatorTypeID = ic.creatorTypeID
    WHERE ic.itemID = ? ORDER BY ic.orderIndex LIMIT ?"""
_TAGS = """
    SELECT substr(t.name, 1, 200) FROM itemTags it JOIN tags t ON t.tagID = it.tagID
    WHERE it.itemID = ? ORDER BY t.name LIMIT 200"""
_IN_COLLECTIONS = "SELECT collectionID FROM collectionItems WHERE itemID = ? LIMIT 200"
_COLLECTIONS = "SELECT collectionID, parentCollectionID, substr(collectionName, 1, 200) FROM collections LIMIT ?"
_EXTRA = 20_000


@dataclass(frozen=True, slots=True)
class AttachmentRow:
    """An attachment as the database has it: its `key`, `mode` of linking and `path`, and what its work is.

    `record` is CSL-JSON, empty for a file that belongs to no work.
    """

    key: str
    mode: int
    path: str
    record: Mapping[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()


def attachments(connection: sqlite3.Connection) -> list[AttachmentRow]:
    """Return the attachments that are files and not in the bin, in the order in which they came into the library.

    Raises TooLarge for more than a library may have, and sqlite3.Error.
    """
    rows = connection.execute(_ATTACHMENTS, (MOST_FILES + 1,)).fetchall()
    if len(rows) > MOST_FILES:
        raise TooLarge(f"more than {MOST_FILES:,} attachments: export a part of the library and index that")
    names = _collection_paths(connection)
    return [
        AttachmentRow(
            one_line(key),
            int(mode),
            str(path),
            _record(connection, parent) if isinstance(parent, int) else {},
            _tags(connection, item, parent),
            _collections(connection, names, parent if isinstance(parent, int) else item),
        )
        for item, parent, mode, path, key in rows
    ]


def _record(connection: sqlite3.Connection, item: int) -> dict[str, Any]:
    kind = connection.execute(_TYPE, (item,)).fetchone()
    fields = {str(name): value for name, value in connection.execute(_FIELDS, (_EXTRA, item))}
    people = connection.execute(_CREATORS, (item, MOST_NAMES)).fetchall()
    creators = [
        Creator(str(role), one_line(given), one_line(family), mode == 1) for role, given, family, mode in people
    ]
    return csl_of(str(kind[0]) if kind else "", {name: str(value) for name, value in fields.items()}, creators)


def _tags(connection: sqlite3.Connection, *items: object) -> tuple[str, ...]:
    found = (row[0] for item in items if isinstance(item, int) for row in connection.execute(_TAGS, (item,)))
    return texts(found)


def _collections(connection: sqlite3.Connection, names: Mapping[int, str], item: int) -> tuple[str, ...]:
    found = (names.get(row[0], "") for row in connection.execute(_IN_COLLECTIONS, (item,)))
    return tuple(sorted(filter(None, set(found))))


def _collection_paths(connection: sqlite3.Connection) -> dict[int, str]:
    """Return the path of each collection that is not in the bin, by its number."""
    deleted: set[object] = set()
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'deletedCollections' LIMIT 1").fetchone():
        deleted = {row[0] for row in connection.execute("SELECT collectionID FROM deletedCollections")}
    rows = connection.execute(_COLLECTIONS, (MOST_COLLECTIONS,)).fetchall()
    told = {number: (parent, name) for number, parent, name in rows if number not in deleted}
    return {number: collection_path(number, told) for number in told}


def collection_path(number: object, told: Mapping[Any, tuple[Any, Any]]) -> str:
    """Return the path of a collection, of which `told` has the parent and the name; a ring of parents ends it."""
    return "/".join(reversed(list(_names(number, told))))


def _names(number: object, told: Mapping[Any, tuple[Any, Any]]) -> Iterator[str]:
    seen: set[object] = set()
    while number in told and number not in seen and len(seen) < DEEPEST:
        seen.add(number)
        number, name = told[number]
        yield one_line(name).replace("/", "-") or "-"
