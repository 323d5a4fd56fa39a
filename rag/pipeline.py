"""Pipeline.answer: question -> evidence -> quotes -> sentences with citations."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from indexing import Collection
from rag.extractive import Quote, quotes, select
from rag.localize import boxes_of
from rag.retrieve import retrieve
from rag.settings import RagSettings
from rag.types import Answer, Citation, Sentence


class Pipeline:
    """Answers questions about one collection. Loads its models with the first question, or with `warm`."""

    def __init__(self, collection: Collection, settings: RagSettings | None = None) -> None:
        """Nothing is loaded yet."""
        self.collection = collection
        self.settings = settings or RagSettings()

    def warm(self) -> None:
        """Load models and search structures now."""
        self.collection.warm()

    def answer(self, question: str, *, documents: Sequence[str] = (), top_k: int | None = None) -> Answer:
        """Answer from all documents, or from those named by id, name or path.

        Raises EmptyQuestion, QuestionTooLong, and DocumentMissing for a name that is not in the collection.
        """
        started = time.perf_counter()
        retrieved = retrieve(self.collection, question, self.settings, documents=documents, top_k=top_k)
        found = time.perf_counter()
        scored = quotes(question, retrieved.evidence, retrieved.hits, retrieved.tokens, retrieved.weights)
        sentences = tuple(self._cited(quote) for quote in select(scored, self.settings))
        done = time.perf_counter()
        return Answer(
            question=question,
            mode="text",
            sentences=sentences,
            evidence=retrieved.evidence,
            confidence=scored[0].confidence if scored else 0.0,
            timings={"retrieve": found - started, "answer": done - found, "total": done - started},
            settings_hash=self.settings.hash,
        )

    def _cited(self, quote: Quote) -> Sentence:
        """A quote as a sentence with its citation; verbatim, so supported. A caption is cited with its figure."""
        evidence = quote.evidence
        element = evidence.element
        boxes = boxes_of(element, quote.start, quote.end)
        if element.kind == "caption":
            around = [
                e
                for e in self.collection.page_elements(element.doc_id, element.page)
                if e.kind == "group" and element.id in e.parts
            ]
            if around:
                evidence = replace(evidence, element=min(around, key=lambda e: len(e.parts)))
        return Sentence(quote.text, (Citation.of(evidence, quote.text, boxes),), "supported")
