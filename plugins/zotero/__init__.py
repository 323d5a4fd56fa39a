"""Index a Zotero library, or its export, with its records, tags and collections."""
