"""Index a Zotero library with its records, tags and collections."""
