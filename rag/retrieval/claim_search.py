"""Search with a claim itself, for evidence that the search with the question missed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from indexing import Collection
from rag.options import Question
from rag.retrieval.retrieve import Retrieved, document_scope
from rag.settings import RagSettings
from rag.types import Evidence

MOST = 8
"""The most elements that are retrieved for a claim."""


class ClaimSearch:
    """A search with claims in the documents of a question, for evidence that the question itself did not find."""

    def __init__(self, collection: Collection, settings: RagSettings, question: Question, results: Retrieved) -> None:
        """Keep the parts. Raises what `document_scope` raises."""
        self._collection, self._settings, self._results = collection, settings, results
        self._doc_ids = document_scope(collection, question)
        self._names = {d.id: d.name for d in collection.documents()}
        self._evidence = {item.element.id: item for item in results.evidence}

    @property
    def extra_evidence(self) -> tuple[Evidence, ...]:
        """The evidence that only searches with claims found, in the order of the labels."""
        return tuple(self._evidence.values())[len(self._results.evidence) :]

    def search_in(self, doc_id: str | None) -> Callable[[str], tuple[Evidence, ...]]:
        """Return a search function for one document, or for all documents of the question if `doc_id` is None.

        It returns at most MOST pieces of evidence for a claim, best first. Known elements keep their labels; new ones
        get the next labels and are added to `extra_evidence`.
        """
        return partial(self._search, doc_ids=self._doc_ids if doc_id is None else [doc_id])

    def _search(self, claim: str, doc_ids: Sequence[str]) -> tuple[Evidence, ...]:
        """Return the evidence for a claim in some documents, best first, and keep what is new in `_evidence`."""
        query = claim[: self._settings.max_question_chars]
        hits = self._collection.search(query, doc_ids=doc_ids, limit=MOST, settings=self._settings.search).hits
        for hit in hits:
            label = f"E{len(self._evidence) + 1}"
            name = self._names.get(hit.element.doc_id, hit.element.doc_id)
            self._evidence.setdefault(hit.element.id, Evidence(label, hit.element, name, hit.score))
        return tuple(self._evidence[hit.element.id] for hit in hits)
