"""Retrieve evidence: the elements and pages that match the queries best, or those of named pages."""

from rag.retrieval.claim_search import ClaimSearch
from rag.retrieval.missing import missing_notes
from rag.retrieval.named_pages import retrieve_pages
from rag.retrieval.pages import best_pages, every_page, further_pages, in_order, pages_shown
from rag.retrieval.retrieve import Retrieved, check_asked, retrieve, validate_count, validate_question

__all__ = [
    "ClaimSearch",
    "Retrieved",
    "best_pages",
    "check_asked",
    "every_page",
    "further_pages",
    "in_order",
    "missing_notes",
    "pages_shown",
    "retrieve",
    "retrieve_pages",
    "validate_count",
    "validate_question",
]
