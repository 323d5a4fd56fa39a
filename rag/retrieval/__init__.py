"""Retrieve evidence: the elements and pages that match the queries best, or those of named pages."""

from rag.retrieval.claim_search import ClaimSearch
from rag.retrieval.given import given
from rag.retrieval.missing import missing_notes
from rag.retrieval.retrieve import Retrieved, bounded, check_asked, checked, retrieve

__all__ = ["ClaimSearch", "Retrieved", "bounded", "check_asked", "checked", "given", "missing_notes", "retrieve"]
