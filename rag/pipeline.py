"""Turn a question into queries, evidence, and an answer whose every sentence is checked and boxed."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Unpack, cast

from configs import method_spec, methods, methods_with_notes
from indexing import Collection, Hints
from rag.attribution import (
    MOST_STATEMENTS,
    READERS,
    AnswerStatement,
    BoundedJudge,
    Checker,
    PrintCheck,
    TextCheck,
    in_step,
    judge_of,
    listed_entries,
    own_bibliography,
    statements,
)
from rag.attribution.localize import localizer_of
from rag.calculation import load_ratios
from rag.crops import Crops
from rag.errors import NoModel, NothingToExtract, NothingWritten, PagesNotShown
from rag.events import Answered, Checked, Drafted, Event, Extracted, Planned, Searched
from rag.llm import ChatModel
from rag.methods import Draft, Method, MethodContext, as_printed
from rag.methods.quote import confidence_of
from rag.options import AnswerOptions, Question, SearchOptions
from rag.question import MAX_IMAGE_CHARS, Planner, Queries, QueryPlanner, embedder_note, load_glossary, mended, unread
from rag.retrieval import (
    ClaimSearch,
    Retrieved,
    check_asked,
    every_page,
    missing_notes,
    pages_shown,
    retrieve,
    retrieve_pages,
    validate_count,
    validate_question,
)
from rag.settings import MOST_QUERIES, RagSettings
from rag.tracing import told, traced_steps
from rag.types import Answer, Judge, MethodName, Sentence
from rag.usage import Ledger
from vouch.hooks import load

if TYPE_CHECKING:
    from PIL import Image

    from indexing import IndexingSettings

PICTURE_WIDTH = 1024
"""The width, in pixels, in which a model is shown the picture that goes with a question."""


class Pipeline:
    """A pipeline that answers questions about a collection. Models are loaded by the first question, or by `warm`.

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
        """Store the parts; nothing is loaded yet. A part that is given replaces the one that the settings would make.

        A `planner` makes the queries, a `model` writes, whichever is chosen, a `judge` decides what strict checking
        leaves open. `attached` says how a file that goes with a question is read, and how large it may be, where that
        is not as the collection is. Raises ProfileError when the settings name a list that cannot be read.
        """
        self.collection = collection
        self.settings = settings or RagSettings()
        self._rules = Planner(load_glossary(self.settings.glossary))
        load_ratios(self.settings.ratios)  # once, and what is wrong with it is told now
        self._planner = planner
        self._model = model
        self._served: dict[str, ChatModel] = {}
        self._judge = judge
        self._attached = attached or collection.settings
        self._print_check = PrintCheck(collection) if self.settings.print_check else None
        self._making = threading.Lock()

    @property
    def model(self) -> ChatModel:
        """The given model, or a client of the one that the settings name. Raises NoModel if there is neither."""
        return self.model_named(None)

    def model_named(self, name: str | None) -> ChatModel:
        """Return the given model, or a client of the one with that name in the settings, cached for later calls.

        None means the default. Each client has its own limit on concurrent calls. Raises NoModel.
        """
        served = self.settings.with_model(name).model
        with self._making:
            if self._model is not None:
                return self._model
            if served is None:
                raise NoModel(
                    "this needs a language model, and the settings name none: set rag.model with its "
                    "base_url and name in a profile and give that with --profile, or use method quote, which "
                    "needs none"
                )
            name = name or served.name
            if name not in self._served:
                from rag.llm import served_model

                self._served[name] = served_model(served)
            return self._served[name]

    def pages_to_read(self, question: str, **options: Unpack[AnswerOptions]) -> tuple[int, int]:
        """Return how many pages `every_page` reads with these options, and how many calls of the model that takes.

        Raises TooManyPages, NoModel, and what `retrieve` raises for documents and filters.
        """
        asked = Question.of(question, options)
        model, writing = self.model_named(asked.model), self.settings.with_model(asked.model).writing
        pages = len(every_page(self.collection, asked))
        return pages, -(-pages // pages_shown(writing.pages, model.capacity.images)) + 1

    def warm(self) -> None:
        """Load models and search structures now; the processes that read pages load theirs at the same time."""
        if self._print_check is not None:
            self.collection.originals.prepare(min(READERS, self.collection.settings.workers))
        self.collection.warm()

    def retrieve(self, question: str, **options: Unpack[SearchOptions]) -> tuple[Queries, Retrieved]:
        """Return the queries made from a question, and what they found.

        Raises EmptyQuestion, QuestionTooLong, QuestionUnreadable, BadLimit for a number out of range, DocumentMissing
        for a name that is not in the collection, NoVisualEmbedder for a mode that it cannot serve, and the FileError
        of an image that cannot be read.
        """
        return self._found(Question.of(question, options))

    def answer(self, question: str, **options: Unpack[AnswerOptions]) -> Answer:
        """Answer a question from all documents, or from those that the options choose. Raises what `stream` raises."""
        (last,) = deque(self.stream(question, **options), maxlen=1)
        return cast("Answered", last).answer

    def stream(self, question: str, **options: Unpack[AnswerOptions]) -> Generator[Event]:
        """Yield the events of an answer while it is made, `Answered` last. Closing the generator ends all work.

        Raises NoModel if a method that writes has no model, or the settings have none of that name; NothingToExtract
        for `extract` with a method that does not use extracted knowledge; PagesNotShown for `pages` with method quote;
        what `retrieve` raises; and ModelError, even after sentences have been yielded.
        """
        asked = Question.of(question, options)
        name = asked.method or self.settings.method
        self.settings.with_model(asked.model)  # what is not there is told, even where no model is needed
        return self._stream(asked, name, self._method(name, asked))

    @traced_steps("vouch.question")
    def _stream(self, asked: Question, name: MethodName, method: Method) -> Generator[Event]:
        told(vouch__method=name)
        writes = method_spec(name).model
        if writes:
            self.check_model(asked.model)
        ledger = Ledger()
        if self._print_check is not None:
            self.collection.originals.prepare()  # its models load while this process searches
        with ledger.timed("retrieve"):
            planned, found = self._found(asked, sees=method.sees)
        yield Planned(planned)
        yield Searched(found.evidence, found.pages)
        making = method.answer(replace(asked, text=planned.question or asked.text), found, ledger)
        draft = yield from as_printed(making, partial(self._held, ledger=ledger), at_once=not writes)
        answer = self._answer(asked, name, planned, found, draft, ledger)
        yield Answered(replace(answer, model=asked.model or self.model.name) if writes else answer)

    def _held(self, sentence: Sentence, ledger: Ledger) -> Sentence:
        """Return a sentence held against what its pages show, where the settings want that."""
        if self._print_check is None:
            return sentence
        with ledger.timed("compare"):
            sentence, notes = self._print_check(sentence)
        ledger.add(notes=notes)
        return sentence

    def describe(self, documents: Sequence[str] = ()) -> Generator[Extracted]:
        """Extract knowledge of figures, and of tables that code cannot tell, once and for all.

        In all documents, or in those named by id, name or path. Texts are extracted when they are found.
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
        check = Checker(self._judge, localizer, about=(answer.question,))
        cited = [[by_label[c.label] for c in s.citations if c.label in by_label] for s in answer.sentences]
        sentences = tuple(check(s.text, own, answer.evidence) for s, own in zip(answer.sentences, cited, strict=True))
        ledger = Ledger()
        held = tuple(self._held(sentence, ledger) for sentence in sentences)
        return replace(answer, sentences=held, notes=tuple(dict.fromkeys((*answer.notes, *ledger.notes))))

    def check_model(self, name: str | None = None) -> None:
        """Raise NoModel without a model, ServerDown where nobody listens at its address: before any work is done.

        `name` is that of a model of the settings, None that of the default.
        """
        check = getattr(self.model_named(name), "check_reachable", None)  # a model that was given may have none
        if check is not None:
            check()

    def check(
        self, question: str, written: str | Sequence[AnswerStatement], **options: Unpack[SearchOptions]
    ) -> Answer:
        """Return an answer that somebody else wrote with every statement checked; raises what `stream_check` raises."""
        (last,) = deque(self.stream_check(written, question, **options), maxlen=1)
        return cast("Answered", last).answer

    @traced_steps("vouch.text")
    def stream_check(
        self, written: str | Sequence[AnswerStatement], question: str = "", **options: Unpack[SearchOptions]
    ) -> Generator[Event]:
        """Yield the statements of a text that somebody else wrote, all as drafts, then each checked; `Answered` last.

        The text is plain or Markdown, or its statements are given, as `rag.manuscripts` reads them. A statement is held
        against what the question finds, if it answers one, and failing that, what it finds itself; a heading is a
        remark. A source that it names is followed to a document of the collection, if a plugin does that.
        Closing it ends all work. Raises what `retrieve` raises, and NothingWritten for a text without a statement.
        """
        asked = Question.of(question, options)
        ledger = Ledger()
        if isinstance(written, str):
            entries, written = own_bibliography(written)
            said = statements(written, MOST_STATEMENTS + 1)
        else:
            said = list(written)
            entries = listed_entries(said)
        if not said:
            raise NothingWritten("the text makes no statement that could be checked: give sentences or lists")
        if len(said) > MOST_STATEMENTS:
            ledger.add(notes=(f"Only the first {MOST_STATEMENTS:,} statements were checked: the rest is left out.",))
        planned, found = Queries((), (), Hints()), Retrieved(asked.mode or "text", (), ())
        if question:
            with ledger.timed("retrieve"):
                planned, found = self._found(asked)
        yield Planned(planned)
        yield Searched(found.evidence, found.pages)
        said = said[:MOST_STATEMENTS]
        for index, statement in enumerate(said):
            yield Drafted(index, statement.text, ())
        if self._print_check is not None:
            self.collection.originals.prepare(min(READERS, self.collection.settings.workers))
        localizer = localizer_of(self.collection, self.settings, lambda: self.model)
        search = ClaimSearch(self.collection, self.settings, asked, found)
        arbiter = self._arbiter()
        check = TextCheck(
            self.collection,
            asked.text,
            found.evidence,
            search,
            self._judge or arbiter,
            localizer=localizer,
            entries=entries,
        )
        ledger.add(notes=check.notes_on(said))
        sentences = []
        judged = ledger.timing("check", map(check, said))
        for index, sentence in enumerate(in_step(judged, partial(self._held, ledger=ledger))):
            sentences.append(sentence)
            yield Checked(index, sentence)
        if arbiter is not None:
            ledger.charge(arbiter, localizer)
        cited = {citation.label for sentence in sentences for citation in sentence.citations}
        more = tuple(item for item in search.extra_evidence if item.label in cited)
        draft = Draft(tuple(sentences), (*found.evidence, *more))
        yield Answered(self._answer(asked, "vanilla", planned, found, draft, ledger))

    def _arbiter(self) -> Judge | None:
        """Return the model as a judge of what rules leave open in a text, asked so often at most; None without one."""
        if self._judge is not None or (self._model is None and self.settings.model is None):
            return None
        crops = Crops(self.collection, self.settings.writing.page_width, self.settings.writing.picture_side)
        judge = judge_of(self.settings, self.model, crops, None)
        return BoundedJudge(judge) if judge is not None else None

    def _method(self, name: MethodName, asked: Question) -> Method:
        """Return the method of that name. Raises NoModel; NothingToExtract, PagesNotShown for options of another."""
        spec, with_notes = method_spec(name), " or ".join(methods_with_notes())
        if asked.pages and not spec.pages:
            others = " or ".join(method.name for method in methods() if method.pages)
            raise PagesNotShown(f"method {name} searches, and cannot be given pages: ask with method {others}")
        if asked.every_page:
            if not spec.notes:
                raise PagesNotShown(f"method {name} does not read every page: ask with method {with_notes}")
            every_page(self.collection, asked)  # what cannot be read is told before a model is asked
        if asked.extract and not spec.notes:
            raise NothingToExtract(f"method {name} does not use extracted knowledge: ask with method {with_notes}")
        settings, model = self.settings.with_model(asked.model), partial(self.model_named, asked.model)
        search = partial(self._looked_for, asked)
        method: Method = load(spec.make)(MethodContext(self.collection, settings, model, search, self._judge))
        return method

    def _found(self, asked: Question, *, sees: bool = False) -> tuple[Queries, Retrieved]:
        """Return the queries, and what they found; the picture of the question is drawn if the method looks at it."""
        validate_question(asked.text, self.settings)
        if asked.pages:
            found = retrieve_pages(self.collection, asked, self.settings)
            return Queries((), (), Hints()), replace(found, picture=self._read(asked, most=0, draw=sees)[1])
        most = validate_count("queries", asked.queries, self.settings.queries, MOST_QUERIES)
        check_asked(self.collection, self.settings, asked)  # before an image is read, which takes seconds
        planner = self._planner_asked(asked)
        said, picture = self._read(asked, most=MAX_IMAGE_CHARS, draw=sees or planner is not self._rules)
        planned = planner.plan(asked.text, most, said, picture)
        found = retrieve(self.collection, planned, asked, self.settings)
        made_with = self.collection.settings
        if found.slips and planner is self._rules and not unread(asked.text, made_with):
            question = mended(asked.text, found.slips)
            read = ", ".join(f"“{slip}” as “{meant}”" for slip, meant in found.slips.items())
            planned = replace(planner.plan(question, most, said, picture), question=question, notes=(f"Read {read}.",))
            found = retrieve(self.collection, planned, asked, self.settings)
        if not method_spec(asked.method or self.settings.method).model:
            planned = replace(planned, notes=(*planned.notes, *embedder_note(asked.text, made_with)))
        return planned, replace(found, picture=picture) if sees else found

    def _looked_for(self, asked: Question, missing: str) -> Retrieved:
        """Return what is found for something that a model says is missing, in the documents of its question."""
        text = missing[: self.settings.max_question_chars]
        planned = self._rules.plan(text if any(map(str.isalnum, text)) else asked.text, self.settings.queries, "", None)
        return retrieve(self.collection, planned, asked, self.settings)

    def _read(self, asked: Question, *, most: int, draw: bool) -> tuple[str, Image.Image | None]:
        """Return the first `most` characters, or more, of the file that goes with the question, and its picture."""
        if asked.image is None or not (most or draw):
            return "", None
        from indexing import read_attachment  # it brings in what reads files

        workers, width = self.collection.originals.workers, PICTURE_WIDTH if draw else 0
        return read_attachment(asked.image, self._attached, most=most, width=width, workers=workers)

    def _planner_asked(self, asked: Question) -> QueryPlanner:
        """Return the planner that makes the queries: the one that was given, else the one that the settings name."""
        if self._planner is not None or self.settings.planner == "rules":
            return self._planner or self._rules
        from rag.question import ModelPlanner

        return ModelPlanner(self.model_named(asked.model), self._rules)

    def _answer(
        self, asked: Question, name: MethodName, planned: Queries, found: Retrieved, draft: Draft, ledger: Ledger
    ) -> Answer:
        gone = missing_notes(self.collection, draft.sentences)
        ledger.add(planned.usage, (*planned.notes, *found.notes, *gone))
        settings = self.settings.with_model(asked.model)
        return Answer(
            question=asked.text,
            mode=found.mode,
            sentences=draft.sentences,
            evidence=draft.evidence,
            confidence=0.0 if asked.pages else confidence_of(found),
            timings=ledger.total(),
            settings_hash=settings.hash,
            queries=tuple(q.text for q in planned.text),
            pages=found.pages,
            method=name,
            usage=ledger.usage,
            notes=tuple(ledger.notes),
            nothing=draft.nothing or found.nothing,
            drawn=draft.drawn,
            missing=draft.missing,
        )
