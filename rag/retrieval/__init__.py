"""Retrieve evidence: the elements and pages that match the queries best, or those of named pages."""

from rag.retrieval.claim_search import ClaimSearch
from rag.retrieval.pages import best_pages, every_page, further_pages, in_order, pages_shown
from rag.retrieval.retrieve import (
    Retrieved,
    check_request,
    document_scope,
    missing_notes,
    retrieve,
    retrieve_pages,
    validate_count,
    validate_question,
)
