"""Pipeline: a question becomes queries, evidence, and an answer whose every sentence is checked and boxed."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Unpack, cast

from indexing import Collection, Hints
from rag.attribution import PrintCheck, attributed, statements
from rag.attribution.localize import localizer_of
from rag.errors import NoModel, NothingToExtract, PagesNotShown
from rag.events import Answered, Checked, Event, Extracted, Planned, Searched
from rag.llm import ChatModel
from rag.methods import Draft, Method
from rag.methods.quote import QuoteMethod, confidence_of
from rag.options import AnswerOptions, Question, SearchOptions
from rag.question import Planner, Queries, QueryPlanner, is_foreign, load_glossary, mended
from rag.retrieval import ClaimSearch, Retrieved, bounded, check_asked, checked, given, retrieve
from rag.settings import MOST_QUERIES, RagSettings
from rag.types import Answer, Judge, MethodName, Sentence
from rag.usage import Ledger

if TYPE_CHECKING:
    from PIL import Image

    from indexing import IndexingSettings


FOREIGN = (
    "The question does not seem to be English, which is the language that the embedder reads: only pages with words of "
    "the question itself were taken. Ask in English, or in the words of the document."
)
"""The note on a question in another language."""


class Pipeline:
    """A pipeline that answers questions about one collection; it loads its models when first asked, or with `warm`.

    >>> pipeline = Pipeline(Collection.open("samples"))  # doctest: +SKIP
    >>> answer = pipeline.answer("How many departures were cancelled?")  # doctest: +SKIP
    >>> [(s.text, s.citations[0].page) for s in answer.sentences]  # doctest: +SKIP
    [('We cancelled 1,236 of 118,400 departures, or 1.0 per cent.', 5)]
    """

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
        """Keep the parts; nothing is loaded yet. A part that is given replaces the one that the settings would make.

        A `planner` makes the queries, a `model` writes, a `judge` decides what strict checking leaves open. `attached`
        says how a file that goes with a question is read, and how large it may be, where that is not as the collection
        is. Raises ProfileError when the settings name a glossary that cannot be read.
        """
        self.collection = collection
        self.settings = settings or RagSettings()
        self._rules = Planner(load_glossary(self.settings.glossary))
        self._planner = planner
        self._model = model
        self._judge = judge
        self._attached = attached or collection.settings
        self._print_check = PrintCheck(collection) if self.settings.print_check else None
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
        """Load models and search structures now; the process that reads pages loads its own meanwhile."""
        if self._print_check is not None:
            self.collection.originals.prepare()
        self.collection.warm()

    def retrieve(self, question: str, **options: Unpack[SearchOptions]) -> tuple[Queries, Retrieved]:
        """Return the queries that are searched for, and what they found.

        Raises EmptyQuestion, QuestionTooLong, QuestionUnreadable, BadLimit for a number out of range, DocumentMissing
        for a name that is not in the collection, NoVisualEmbedder for a mode that it cannot serve, and the FileError
        of an image that cannot be read.
        """
        return self._found(Question.of(question, options))

    def answer(self, question: str, **options: Unpack[AnswerOptions]) -> Answer:
        """Answer from all documents, or from those named by id, name or path; raises what `stream` raises."""
        (last,) = deque(self.stream(question, **options), maxlen=1)
        return cast("Answered", last).answer

    def stream(self, question: str, **options: Unpack[AnswerOptions]) -> Generator[Event]:
        """Yield the answer while it is made: events as they happen, and `Answered` last. Closing it ends all work.

        Raises NoModel for a method that writes where there is no model, NothingToExtract for `extract` with a method
        that reads no extracted knowledge, PagesNotShown for `pages` with method quote; what `retrieve` raises; and
        ModelError, even after sentences have been told.
        """
        asked = Question.of(question, options)
        name = asked.method or self.settings.method
        return self._stream(asked, name, self._method(name, asked))

    def _stream(self, asked: Question, name: MethodName, method: Method) -> Generator[Event]:
        if name != "quote":
            self.check_model()
        ledger = Ledger()
        if self._print_check is not None:
            self.collection.originals.prepare()  # its models load while this process searches
        with ledger.timed("retrieve"):
            planned, found = self._found(asked, sees=method.sees)
        yield Planned(planned)
        yield Searched(found.evidence, found.pages)
        making = method.answer(replace(asked, text=planned.question or asked.text), found, ledger)
        draft = yield from self._as_printed(making, ledger)
        yield Answered(self._answer(asked, name, planned, found, draft, ledger))

    def _as_printed(self, making: Generator[Event, None, Draft], ledger: Ledger) -> Generator[Event, None, Draft]:
        """Yield the events of a method, each checked sentence held against what its pages show; return the draft so.

        A sentence of the draft is not held again: a page that cannot be drawn would be waited for twice.
        """
        held = lru_cache(None)(lambda sentence: self._held(sentence, ledger))
        draft: Draft | None = None
        with closing(making):
            while draft is None:
                try:
                    event = next(making)
                except StopIteration as done:
                    draft = done.value
                else:
                    yield replace(event, sentence=held(event.sentence)) if isinstance(event, Checked) else event
        return replace(draft, sentences=tuple(map(held, draft.sentences)))

    def _held(self, sentence: Sentence, ledger: Ledger) -> Sentence:
        """Return a sentence held against what its pages show, where the settings want that."""
        if self._print_check is None:
            return sentence
        with ledger.timed("compare"):
            sentence, notes = self._print_check(sentence)
        ledger.add(notes=notes)
        return sentence

    def describe(self, documents: Sequence[str] = ()) -> Generator[Extracted]:
        """Extract knowledge of all pictures, in all documents or in those named by id, name or path, once and for all.

        Raises NoModel, ServerDown, DocumentMissing.
        """
        from rag.knowledge import describe

        self.check_model()
        return describe(self.collection, self.settings, self.model, documents)

    def checked(self, answer: Answer) -> Answer:
        """Return the answer with every sentence checked anew against its citations and, failing that, all its evidence.

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
                about=(answer.question,),
            )
            for s in answer.sentences
        )
        ledger = Ledger()
        held = tuple(self._held(sentence, ledger) for sentence in sentences)
        return replace(answer, sentences=held, notes=tuple(dict.fromkeys((*answer.notes, *ledger.notes))))

    def check_model(self) -> None:
        """Raise NoModel without a model, ServerDown where nobody listens at its address: before any work is done."""
        from rag.llm import ServedModel, check_reachable

        if isinstance(self.model, ServedModel):
            check_reachable(self.model.settings)

    def check(self, question: str, written: str, **options: Unpack[SearchOptions]) -> Answer:
        """Return an answer that somebody else wrote, in plain text or Markdown, with every statement checked and boxed.

        A statement is held against what the question finds and, failing that, what it finds itself; a heading is a
        remark. Nothing in brackets is believed to be a source. Raises what `retrieve` raises.
        """
        asked = Question.of(question, options)
        ledger = Ledger()
        with ledger.timed("retrieve"):
            planned, found = self._found(asked)
        localizer = localizer_of(self.collection, self.settings, lambda: self.model)
        search = ClaimSearch(self.collection, self.settings, asked, found)
        with ledger.timed("check"):
            sentences = tuple(
                Sentence(said.text, (), "remark", "it names what follows")
                if said.heading
                else attributed(
                    said.text, (), found.evidence, self._judge, localizer, about=(question, *said.under), search=search
                )
                for said in statements(written)
            )
        sentences = tuple(self._held(sentence, ledger) for sentence in sentences)
        cited = {citation.label for sentence in sentences for citation in sentence.citations}
        more = tuple(item for item in search.found if item.label in cited)
        draft = Draft(sentences, (*found.evidence, *more))
        return self._answer(asked, "vanilla", planned, found, draft, ledger)

    def _method(self, name: MethodName, asked: Question) -> Method:
        """Return the method of that name. Raises NoModel; NothingToExtract, PagesNotShown for options of another."""
        if asked.pages and name == "quote":
            raise PagesNotShown("method quote searches, and takes no pages: ask with method vanilla, cot or visa")
        if asked.extract and name in ("quote", "visa"):
            raise NothingToExtract(f"method {name} reads no extracted knowledge: ask with method vanilla or cot")
        if name == "quote":
            return QuoteMethod(self.collection, self.settings, lambda: self.model)
        if name == "visa":
            from rag.methods.visa import VisaMethod

            return VisaMethod(self.collection, self.settings, self.model, self._judge)
        from rag.methods.write import WriteMethod

        return WriteMethod(self.collection, self.settings, self.model, name, self._judge)

    def _found(self, asked: Question, *, sees: bool = False) -> tuple[Queries, Retrieved]:
        """Return the queries, and what they found; the picture of the question is drawn if the method looks at it."""
        checked(asked.text, self.settings)
        if asked.pages:
            found = given(self.collection, asked, self.settings)
            return Queries((), (), Hints()), replace(found, picture=self._picture(asked) if sees else None)
        most = bounded("queries", asked.queries, self.settings.queries, MOST_QUERIES)
        check_asked(self.collection, self.settings, asked)  # before an image is read, which takes seconds
        planner = self._planner_asked()
        said, picture = self._read(asked, draw=sees or planner is not self._rules)
        planned = planner.plan(asked.text, most, said, picture)
        found = retrieve(self.collection, planned, asked, self.settings)
        foreign = is_foreign(asked.text)
        if found.slips and planner is self._rules and not foreign:
            question = mended(asked.text, found.slips)
            read = ", ".join(f"“{slip}” as “{meant}”" for slip, meant in found.slips.items())
            planned = replace(planner.plan(question, most, said, picture), question=question, notes=(f"Read {read}.",))
            found = retrieve(self.collection, planned, asked, self.settings)
        if foreign and (asked.method or self.settings.method) == "quote":
            planned = replace(planned, notes=(*planned.notes, FOREIGN))
        return planned, replace(found, picture=picture) if sees else found

    def _read(self, asked: Question, *, draw: bool) -> tuple[str, Image.Image | None]:
        """Return the text of the file that goes with the question and, where it is looked at, its picture."""
        if asked.image is None:
            return "", None
        from indexing import text_of  # it brings in what reads files

        return text_of(asked.image, self._attached), self._picture(asked) if draw else None

    def _picture(self, asked: Question) -> Image.Image | None:
        """Return the picture of the file that goes with the question; None without one."""
        if asked.image is None:
            return None
        from indexing import picture_of

        return picture_of(asked.image, self._attached)

    def _planner_asked(self) -> QueryPlanner:
        """Return the planner that makes the queries: the one that was given, else the one that the settings name."""
        if self._planner is not None or self.settings.planner == "rules":
            return self._planner or self._rules
        from rag.question import ModelPlanner

        return ModelPlanner(self.model, self._rules)

    def _answer(
        self, asked: Question, name: MethodName, planned: Queries, found: Retrieved, draft: Draft, ledger: Ledger
    ) -> Answer:
        ledger.add(planned.usage, (*planned.notes, *found.notes))
        return Answer(
            question=asked.text,
            mode=found.mode,
            sentences=draft.sentences,
            evidence=draft.evidence,
            confidence=0.0 if asked.pages else confidence_of(found),
            timings=ledger.total(),
            settings_hash=self.settings.hash,
            queries=tuple(q.text for q in planned.text),
            pages=found.pages,
            method=name,
            usage=ledger.usage,
            notes=tuple(ledger.notes),
            nothing=draft.nothing or found.nothing,
            drawn=draft.drawn,
        )
