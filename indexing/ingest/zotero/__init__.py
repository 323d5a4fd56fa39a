"""Read a Zotero library, or its export, as files to index with their records, tags and collections."""

from indexing.ingest.zotero.library import library_report, read_library
from indexing.ingest.zotero.types import LibraryFile, ZoteroLibrary

__all__ = ["LibraryFile", "ZoteroLibrary", "library_report", "read_library"]
