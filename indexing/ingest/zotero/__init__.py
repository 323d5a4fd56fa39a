"""Zotero: a library, or its export, becomes files to index, each with its record, its tags and its collections."""

from indexing.ingest.zotero.library import library_report, read_library
from indexing.ingest.zotero.types import LibraryFile, ZoteroLibrary

__all__ = ["LibraryFile", "ZoteroLibrary", "library_report", "read_library"]
