"""Pipeline.answer: question -> queries -> evidence -> quotes -> sentences with citations."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from indexing import Collection, Mode, text_of
from rag.extractive import Quote, quotes, select
from rag.glossary import load_glossary
from rag.localize import boxes_of, localize
from rag.queries import Planner, Queries, QueryPlanner
from rag.retrieve import Retrieved, at_least_one, check_asked, checked, retrieve
from rag.settings import RagSettings
from rag.types import Answer, Citation, Evidence, Sentence
from rag.verify import Check, Judge, repair, verify


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
        sentences = tuple(self._cited(quote) for quote in select(scored, self.settings))
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
        return Sentence(quote.text, (Citation.of(evidence, quote.text, boxes),), "supported", "quoted word for word")


def attributed(
    text: str, cited: Sequence[Evidence], evidence: Sequence[Evidence], judge: Judge | None = None
) -> Sentence:
    """A sentence with those of its citations that prove it.

    `cited` is what it names, `evidence` all that was retrieved. A sentence that nothing it names proves is pointed once
    to the evidence that proves it best; if none does it stays, unsupported and without a citation. Where one citation
    proves it, those that prove it in part add nothing and are dropped, as is naming the same element twice. A sentence
    that names nothing, and that nothing proves, is unchecked.
    """
    checks = [(item, verify(text, item.element, judge=judge)) for item in _each_once(cited)]
    proven = [(item, check) for item, check in checks if check.verdict != "unsupported"]
    if not proven:
        again = repair(text, [item.element for item in evidence], judge=judge)
        if again is not None and again[1].verdict != "unsupported":
            proven = [(evidence[again[0]], again[1])]
    if not proven:
        reason = checks[0][1].reason if checks else "it names no source"
        return Sentence(text, (), "unsupported" if checks else "unchecked", reason)
    best = max((check for _, check in proven), key=lambda check: check.score)
    kept = [(item, check) for item, check in proven if check.verdict == best.verdict]
    return Sentence(text, tuple(_citation(text, *pair) for pair in kept), best.verdict, best.reason)


def _citation(text: str, evidence: Evidence, check: Check) -> Citation:
    """Lines or cells inside the element; the element alone where these are not certain."""
    located = localize(text, evidence.element, check.spans)
    quote = " ".join(evidence.element.text[a:b] for a, b in check.spans)
    return Citation.of(evidence, quote, located.boxes, located.context)


def _each_once(cited: Sequence[Evidence]) -> list[Evidence]:
    return list({item.element.id: item for item in cited}.values())
