"""The values of a Zotero library: its files with their records, and what could not be read of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indexing import Metadata, UnreadFile
from plugins.zotero.records import authors_of, iso_date, language_code

READ_SUFFIXES = frozenset((".pdf", ".epub"))
"""The files of a library that are read: its documents. Snapshots of web pages and the rest stay where they are."""
MOST_FILES = 200_000
"""The attachments of a library that are looked at."""
MOST_CHARS = 400_000_000
"""The characters of all records of a library together."""


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """A file of a library: its path, its entry as CSL-JSON (empty for a file without one), its tags and collections.

    A collection is told by its path from the top, with slashes: "Thesis/Chapter 2".
    """

    path: Path
    record: Mapping[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()

    @property
    def metadata(self) -> Metadata:
        """The part of it that Vouch keeps. Its collections are tags too; the first of them is its folder."""
        return Metadata(
            date=iso_date(self.record.get("issued")),
            author=authors_of(self.record),
            language=language_code(self.record.get("language")),
            folder=self.collections[0] if self.collections else "",
            tags=tuple(dict.fromkeys((*self.tags, *self.collections))),
            record=json.dumps(self.record, ensure_ascii=False, sort_keys=True) if self.record else "",
        )


@dataclass(frozen=True, slots=True)
class ZoteroLibrary:
    """A library: the files to index, those that are named and cannot be read, and what else to know, in sentences."""

    files: tuple[LibraryFile, ...]
    unread: tuple[UnreadFile, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def records(self) -> dict[Path, Metadata]:
        """The metadata of each file, by its path."""
        return {file.path: file.metadata for file in self.files}
