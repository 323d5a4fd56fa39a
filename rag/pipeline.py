"""Pipeline.answer: question -> queries -> evidence -> quotes -> sentences with citations."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from indexing import Collection, Element, Mode, text_of
from rag.attribution import attributed, quoted
from rag.extractive import Quote, quotes, select
from rag.glossary import load_glossary
from rag.queries import Planner, Queries, QueryPlanner
from rag.retrieve import Retrieved, at_least_one, check_asked, checked, retrieve
from rag.settings import RagSettings
from rag.types import Answer


class Pipeline:
    """Answers questions about one collection. Loads its models with the first question, or with `warm`."""

    def __init__(
        self, collection: Collection, settings: RagSettings | None = None, planner: QueryPlanner | None = None
    ) -> None:
        """Nothing is loaded yet; a `planner` of your own makes the queries in the place of the one that needs no model.

        Raises ProfileError when the settings name a glossary that cannot be read.
        """
        self.collection = collection
        self.settings = settings or RagSettings()
        self._planner = planner or Planner(load_glossary(self.settings.glossary))

    def warm(self) -> None:
        """Load models and search structures now."""
        self.collection.warm()

    def retrieve(
        self,
        question: str,
        *,
        mode: Mode | None = None,
        documents: Sequence[str] = (),
        top_k: int | None = None,
        queries: int | None = None,
        image: Path | str | None = None,
    ) -> tuple[Queries, Retrieved]:
        """What is searched for, and what was found: `queries` at most, with an `image` to go with the question.

        Raises EmptyQuestion, QuestionTooLong, QuestionUnreadable, BadLimit for a number below 1, DocumentMissing for a
        name that is not in the collection, NoVisualEmbedder for a mode that it cannot serve, and the FileError of an
        image that cannot be read.
        """
        checked(question, self.settings)
        n = at_least_one("queries", queries, self.settings.queries)
        check_asked(self.collection, self.settings, mode, documents)  # before an image is read, which takes seconds
        seen = text_of(image, self.collection.settings) if image is not None else ""
        planned = self._planner.plan(question, n, seen)
        found = retrieve(
            self.collection,
            (planned.text, planned.image),
            self.settings,
            hints=planned.hints,
            mode=mode,
            documents=documents,
            top_k=top_k,
        )
        return planned, found

    def answer(
        self,
        question: str,
        *,
        mode: Mode | None = None,
        documents: Sequence[str] = (),
        top_k: int | None = None,
        queries: int | None = None,
        image: Path | str | None = None,
    ) -> Answer:
        """Answer from all documents, or from those named by id, name or path; raises what `retrieve` raises."""
        started = time.perf_counter()
        planned, retrieved = self.retrieve(
            question, mode=mode, documents=documents, top_k=top_k, queries=queries, image=image
        )
        found = time.perf_counter()
        scored = quotes(question, retrieved.evidence, retrieved.hits, retrieved.tokens, retrieved.weights)
        sentences = tuple(quoted(quote, self._around(quote)) for quote in select(scored, self.settings))
        done = time.perf_counter()
        return Answer(
            question=question,
            mode=retrieved.mode,
            sentences=sentences,
            evidence=retrieved.evidence,
            confidence=scored[0].confidence if scored else 0.0,
            timings={"retrieve": found - started, "answer": done - found, "total": done - started},
            settings_hash=self.settings.hash,
            queries=tuple(q.text for q in planned.text),
            pages=retrieved.pages,
        )

    def checked(self, answer: Answer) -> Answer:
        """The answer with every sentence checked anew against what it cites and, failing that, all its evidence.

        For answers that were edited, or written by something else: a sentence whose number was changed loses its box.
        """
        by_label = {item.label: item for item in answer.evidence}
        sentences = tuple(
            attributed(s.text, [by_label[c.label] for c in s.citations if c.label in by_label], answer.evidence)
            for s in answer.sentences
        )
        return replace(answer, sentences=sentences)

    def _around(self, quote: Quote) -> tuple[Element, ...]:
        """The elements of the page of a quote."""
        element = quote.evidence.element
        return self.collection.page_elements(element.doc_id, element.page)
