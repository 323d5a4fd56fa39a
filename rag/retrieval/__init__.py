"""Retrieve evidence: the elements and pages that match the queries best, or those of named pages."""

from rag.retrieval.claim_search import ClaimSearch
from rag.retrieval.given import given
from rag.retrieval.missing import missing_notes
from rag.retrieval.pages import best_pages, every_page, further_pages, in_order, pages_shown
from rag.retrieval.retrieve import Retrieved, bounded, check_asked, checked, retrieve

__all__ = [
    "ClaimSearch",
    "Retrieved",
    "best_pages",
    "bounded",
    "check_asked",
    "checked",
    "every_page",
    "further_pages",
    "given",
    "in_order",
    "missing_notes",
    "pages_shown",
    "retrieve",
]
