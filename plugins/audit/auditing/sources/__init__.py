"""Look up references on this machine: in indexed bibliographies and in the collection's documents."""

from plugins.audit.auditing.sources.collection_documents import CollectionDocuments
from plugins.audit.auditing.sources.identifiers import (
    bare_arxiv,
    bare_doi,
    identifiers,
    plain_title,
    same_identifier,
    without_version,
)
from plugins.audit.auditing.sources.readers import FORMS, form_of, json_record, read_records
from plugins.audit.auditing.sources.record_index import RecordIndex, index_path, list_indexes
