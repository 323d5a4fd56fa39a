"""Look up references on this machine: in indexed bibliographies and in the collection's documents."""

from rag.audit.sources.collection_documents import CollectionDocuments
from rag.audit.sources.identifiers import identifiers
from rag.audit.sources.json_records import json_record
from rag.audit.sources.readers import FORMS, form_of, read_records
from rag.audit.sources.record_index import IndexProgress, Promise, RecordIndex, index_path, list_indexes

__all__ = [
    "FORMS",
    "CollectionDocuments",
    "IndexProgress",
    "Promise",
    "RecordIndex",
    "form_of",
    "identifiers",
    "index_path",
    "json_record",
    "list_indexes",
    "read_records",
]
