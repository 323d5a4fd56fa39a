"""Pipeline.stream: question -> queries -> evidence -> sentences, quoted or written, each checked and boxed."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Unpack, cast

from indexing import Collection, Element
from rag.asked import AnswerOptions, Asked, SearchOptions
from rag.attribution import attributed, quoted, relocated
from rag.chat import NO_USAGE, ChatModel
from rag.citable import choose, citable
from rag.errors import NoModel, NothingToExtract
from rag.events import Answered, Checked, Event, Extracted, Planned
from rag.events import Retrieved as Seen
from rag.extractive import Cited, best_of, confidence_of, quotes, select, words_of
from rag.glossary import load_glossary
from rag.ledger import Ledger
from rag.localizers import localizer_of
from rag.queries import Planner, Queries, QueryPlanner
from rag.retrieve import Retrieved, at_least_one, check_asked, checked, retrieve
from rag.settings import RagSettings
from rag.types import Answer, Method, Sentence
from rag.verify import Judge

if TYPE_CHECKING:
    from PIL import Image

    from indexing import IndexingSettings


class Pipeline:
    """Answers questions about one collection. Loads its models with the first question, or with `warm`."""

    def __init__(
        self,
        collection: Collection,
        settings: RagSettings | None = None,
        planner: QueryPlanner | None = None,
        *,
        model: ChatModel | None = None,
        judge: Judge | None = None,
        attached: IndexingSettings | None = None,
    ) -> None:
        """Nothing is loaded yet. What is given stands in the place of what the settings would make: a `planner` makes
        the queries, a `model` writes, a `judge` decides what strict checking leaves open. `attached` says how a file
        that goes with a question is read, and how large it may be, where that is not as the collection is.

        Raises ProfileError when the settings name a glossary that cannot be read.
        """
        self.collection = collection
        self.settings = settings or RagSettings()
        self._rules = Planner(load_glossary(self.settings.glossary))
        self._planner = planner
        self._model = model
        self._judge = judge
        self._attached = attached or collection.settings
        self._making = threading.Lock()

    @property
    def model(self) -> ChatModel:
        """The model that was given, or a client of the one that the settings name. Raises NoModel without either."""
        with self._making:
            if self._model is None:
                if self.settings.model is None:
                    raise NoModel(
                        "this needs a language model, and the settings name none: put rag.model with its base_url and "
                        "name into a profile and give that with --profile, or use method quote, which needs none"
                    )
                from rag.llm import ServedModel

                self._model = ServedModel(self.settings.model)
            return self._model

    def warm(self) -> None:
        """Load models and search structures now."""
        self.collection.warm()

    def retrieve(self, question: str, **options: Unpack[SearchOptions]) -> tuple[Queries, Retrieved]:
        """What is searched for, and what was found.

        Raises EmptyQuestion, QuestionTooLong, QuestionUnreadable, BadLimit for a number below 1, DocumentMissing for a
        name that is not in the collection, NoVisualEmbedder for a mode that it cannot serve, and the FileError of an
        image that cannot be read.
        """
        planned, found, _ = self._found(Asked.of(question, options))
        return planned, found

    def answer(self, question: str, **options: Unpack[AnswerOptions]) -> Answer:
        """Answer from all documents, or from those named by id, name or path; raises what `stream` raises."""
        (last,) = deque(self.stream(question, **options), maxlen=1)
        return cast("Answered", last).answer

    def stream(self, question: str, **options: Unpack[AnswerOptions]) -> Generator[Event]:
        """The answer while it is made: what happens, as it happens, and `Answered` last. Closing it ends all work.

        Raises NoModel for a method that writes where there is no model, NothingToExtract for `extract` with method
        quote; what `retrieve` raises; and ModelError, even after sentences have been told.
        """
        asked = Asked.of(question, options)
        method = asked.method or self.settings.method
        if asked.extract and method in ("quote", "visa"):
            raise NothingToExtract(f"method {method} reads no extracted knowledge: ask with method vanilla or cot")
        if method == "quote":
            return self._quoted(asked)
        return self._written(asked, method, self.model)

    def describe(self, documents: Sequence[str] = ()) -> Generator[Extracted]:
        """Extract knowledge of all pictures, in all documents or in those named by id, name or path, once and for all.

        Raises NoModel, DocumentMissing.
        """
        from rag.describe import describe

        return describe(self.collection, self.settings, self.model, documents)

    def checked(self, answer: Answer) -> Answer:
        """The answer with every sentence checked anew against what it cites and, failing that, all its evidence.

        For answers that were edited, or written by something else: a sentence whose number was changed loses its box.
        """
        by_label = {item.label: item for item in answer.evidence}
        localizer = localizer_of(self.collection, self.settings, lambda: self.model)
        sentences = tuple(
            attributed(
                s.text,
                [by_label[c.label] for c in s.citations if c.label in by_label],
                answer.evidence,
                self._judge,
                localizer,
            )
            for s in answer.sentences
        )
        return replace(answer, sentences=sentences)

    def _quoted(self, asked: Asked) -> Generator[Event]:
        """Method quote: the best pieces of the evidence, word for word."""
        ledger = Ledger()
        with ledger.timed("retrieve"):
            planned, found, _ = self._found(asked)
        yield Planned(planned)
        yield Seen(found.evidence, found.pages)
        with ledger.timed("answer"):
            proofs, around = self._quotes(asked, planned, found)
        with ledger.timed("check"):
            sentences = self._boxed([quoted(each, around) for each in proofs], around, ledger)
        for index, sentence in enumerate(sentences):
            yield Checked(index, sentence)
        yield Answered(self._answer(asked, "quote", planned, found, sentences, ledger))

    def _quotes(self, asked: Asked, planned: Queries, found: Retrieved) -> tuple[list[Cited], list[Element]]:
        """The quotes that answer, none where that is too improbable, with the regions in which they stand; and the
        elements of their pages.
        """
        if _confidence(found) < self.settings.min_confidence:
            return [], []
        scored = quotes(asked.question, found.evidence, found.hits, found.tokens, found.weights)
        words = [words_of(hit, found.tokens, found.weights) for hit in found.hits]
        pages = list(dict.fromkeys((e.element.doc_id, e.element.page) for e in found.evidence))
        around = dict(zip(pages, self.collection.elements_on(pages), strict=True))
        speaking = {quote.evidence.label for quote in scored}
        regions = [
            region
            for region in citable(found.evidence, words, found.pages, around, planned.hints)
            if speaking.intersection(region.labels)
        ]
        first = best_of(scored, regions)
        proofs = select(scored, choose(regions, self.settings.max_sentences, first), self.settings)
        return proofs, [e for each in around.values() for e in each]

    def _boxed(self, sentences: list[Sentence], elements: Sequence[Element], ledger: Ledger) -> list[Sentence]:
        """Quotes, which come with the lines that they are, boxed by another localizer where the settings name one."""
        if self.settings.localizer == "element" or not sentences:
            return sentences
        localizer = localizer_of(self.collection, self.settings, lambda: self.model)
        boxed = [relocated(sentence, elements, localizer) for sentence in sentences]
        ledger.add(getattr(localizer, "usage", NO_USAGE))
        return boxed

    def _written(self, asked: Asked, method: Literal["vanilla", "cot", "visa"], model: ChatModel) -> Generator[Event]:
        """Methods vanilla, cot and visa: a model writes, and each sentence is checked as it comes."""
        from rag.author import Author
        from rag.pointing import Pointer

        author, ledger = Author(self.collection, self.settings, model, self._judge), Ledger()
        with ledger.timed("retrieve"):
            planned, found, picture = self._found(asked, sees=model.room.images > 0)
        yield Planned(planned)
        yield Seen(found.evidence, found.pages)
        if method == "visa":
            pointer = Pointer(self.collection, self.settings, model, author.judging())
            evidence, sentences, drawn = yield from pointer.answer(asked.question, found, ledger)
            answer = self._answer(asked, method, planned, found, sentences, ledger)
            yield Answered(replace(answer, evidence=evidence, drawn=drawn))
            return
        if self.settings.extract if asked.extract is None else asked.extract:
            found = yield from author.extracted(found, ledger)
        sentences = yield from author.write(asked.question, method, found, picture, ledger, asked.earlier)
        yield Answered(self._answer(asked, method, planned, found, sentences, ledger))

    def _found(self, asked: Asked, *, sees: bool = False) -> tuple[Queries, Retrieved, Image.Image | None]:
        """What is searched for and found; and the picture that goes with the question, drawn for those who look."""
        checked(asked.question, self.settings)
        most = at_least_one("queries", asked.queries, self.settings.queries)
        check_asked(self.collection, self.settings, asked)  # before an image is read, which takes seconds
        planner = self._planner_asked()
        seen, picture = "", None
        if asked.image is not None:
            from indexing import picture_of, text_of  # they bring in what reads files

            seen = text_of(asked.image, self._attached)
            if sees or planner is not self._rules:
                picture = picture_of(asked.image, self._attached)
        planned = planner.plan(asked.question, most, seen, picture)
        found = retrieve(self.collection, (planned.text, planned.image), asked, self.settings, hints=planned.hints)
        return planned, found, picture if sees else None

    def _planner_asked(self) -> QueryPlanner:
        """Who makes the queries: the planner that was given, else the one that the settings name."""
        if self._planner is not None or self.settings.planner == "rules":
            return self._planner or self._rules
        from rag.planner import ModelPlanner

        return ModelPlanner(self.model, self._rules)

    def _answer(
        self,
        asked: Asked,
        method: Method,
        planned: Queries,
        found: Retrieved,
        sentences: Sequence[Sentence],
        ledger: Ledger,
    ) -> Answer:
        ledger.add(planned.usage, planned.notes)
        return Answer(
            question=asked.question,
            mode=found.mode,
            sentences=tuple(sentences),
            evidence=found.evidence,
            confidence=_confidence(found),
            timings=ledger.total(),
            settings_hash=self.settings.hash,
            queries=tuple(q.text for q in planned.text),
            pages=found.pages,
            method=method,
            usage=ledger.usage,
            notes=tuple(ledger.notes),
            nothing=found.nothing,
        )


def _confidence(found: Retrieved) -> float:
    """How probable it is that the evidence holds the answer."""
    return confidence_of(found.hits, [e.score for e in found.evidence], found.tokens, found.weights)
