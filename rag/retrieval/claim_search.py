"""The search for what a claim itself finds, where what its question found does not prove it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from indexing import Collection
from rag.options import Question
from rag.retrieval.retrieve import Retrieved, asked_documents
from rag.settings import RagSettings
from rag.types import Evidence

MOST = 8
"""The most pieces of evidence that are found for a claim."""


class ClaimSearch:
    """A search in the documents of a question; what it finds is labelled after the evidence that the question found.

    `found` is all evidence so far that the question had not found, each element once.
    """

    def __init__(self, collection: Collection, settings: RagSettings, asked: Question, retrieved: Retrieved) -> None:
        """Keep the parts. Raises what `asked_documents` raises."""
        self._collection, self._settings, self._retrieved = collection, settings, retrieved
        self._doc_ids = asked_documents(collection, asked)
        self._names = {d.id: d.name for d in collection.documents()}
        self._known = {item.element.id: item for item in retrieved.evidence}

    @property
    def found(self) -> tuple[Evidence, ...]:
        """The evidence that only claims have found, in the order of their labels."""
        return tuple(self._known.values())[len(self._retrieved.evidence) :]

    def within(self, doc_id: str | None) -> Callable[[str], tuple[Evidence, ...]]:
        """Return the search in one document alone, whatever documents the question named; None: in all of them.

        It returns the evidence for a claim, best first; a piece that is known keeps its label.
        """
        return partial(self._searched, doc_ids=self._doc_ids if doc_id is None else [doc_id])

    def _searched(self, claim: str, doc_ids: Sequence[str]) -> tuple[Evidence, ...]:
        asked = claim[: self._settings.max_question_chars]
        hits = self._collection.search(asked, doc_ids=doc_ids, limit=MOST, settings=self._settings.search).hits
        for hit in hits:
            label = f"E{len(self._known) + 1}"
            name = self._names.get(hit.element.doc_id, hit.element.doc_id)
            self._known.setdefault(hit.element.id, Evidence(label, hit.element, name, hit.score))
        return tuple(self._known[hit.element.id] for hit in hits)
