"""Turn a question into queries, evidence, and an answer whose every sentence is checked and boxed."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Unpack, cast

from configs import method_spec
from indexing import Collection, Hints
from rag.attribution import (
    MOST_STATEMENTS,
    READERS,
    AnswerStatement,
    BoundedJudge,
    Checker,
    PrintCheck,
    TextCheck,
    compare_in_order,
    judge_of,
    listed_entries,
    localizer_of,
    own_bibliography,
    statements,
)
from rag.calculation import load_ratios
from rag.crops import Crops
from rag.errors import NoModel, NothingWritten
from rag.events import Answered, Checked, Drafted, Event, Extracted, Planned, Searched
from rag.llm import ChatModel
from rag.methods import Draft, Method, MethodContext, as_printed
from rag.methods.quote import confidence_of, too_unsure
from rag.options import AnswerOptions, Question, SearchOptions
from rag.question import (
    MAX_IMAGE_CHARS,
    Planner,
    Queries,
    QueryPlanner,
    correct_spelling,
    embedder_note,
    is_unread_language,
    load_glossary,
)
from rag.retrieval import (
    ClaimSearch,
    Retrieved,
    check_request,
    every_page,
    missing_notes,
    pages_shown,
    retrieve,
    retrieve_pages,
    validate_count,
    validate_question,
)
from rag.settings import MOST_QUERIES, RagSettings
from rag.types import Answer, Judge, MethodName, Sentence
from rag.usage import Ledger, current_span_attributes, trace_steps
from vouch.hooks import additions, load

if TYPE_CHECKING:
    from PIL import Image

    from indexing import IndexingSettings

PICTURE_WIDTH = 1024
"""The width, in pixels, in which a model is shown the picture that goes with a question."""
REMARKS_FAILED = "A plugin could not look for more to say about this answer: the log says why."
log = logging.getLogger(__name__)


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
        file_settings: IndexingSettings | None = None,
    ) -> None:
        """Store the parts; nothing is loaded yet. A part that is given replaces the one that the settings would make.

        A `planner` makes the queries, a `model` writes, whichever is chosen, a `judge` decides what strict checking
        leaves open. `file_settings` say how a file with a question is read, and how large it may be, where that
        is not as the collection is. Raises ProfileError when the settings name a list that cannot be read.
        """
        self.collection = collection
        self.settings = settings or RagSettings()
        self._rules = Planner(load_glossary(self.settings.glossary))
        load_ratios(self.settings.ratios)  # loaded once, so that errors in it are raised now
        self._planner = planner
        self._model = model
        self._models: dict[str, ChatModel] = {}
        self._judge = judge
        self._attachment_settings = file_settings or collection.settings
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
        model = self.settings.with_model(name).model
        with self._making:
            if self._model is not None:
                return self._model
            if model is None:
                raise NoModel(
                    "this needs a language model, and the settings name none: set rag.model with its "
                    "base_url and name in a profile and give that with --profile, or use method quote, which "
                    "needs none"
                )
            name = name or model.name
            if name not in self._models:
                from rag.llm import served_model

                self._models[name] = served_model(model)
            return self._models[name]

    def pages_to_read(self, question: str, **options: Unpack[AnswerOptions]) -> tuple[int, int]:
        """Return how many pages `every_page` reads with these options, and how many calls of the model that takes.

        Raises TooManyPages, NoModel, and what `retrieve` raises for documents and filters.
        """
        request = Question.of(question, options)
        model, writing = self.model_named(request.model), self.settings.with_model(request.model).writing
        pages = len(every_page(self.collection, request))
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
        return self._search(Question.of(question, options))

    def answer(self, question: str, **options: Unpack[AnswerOptions]) -> Answer:
        """Answer a question from all documents, or from those that the options choose. Raises what `stream` raises."""
        (last,) = deque(self.stream(question, **options), maxlen=1)
        return cast("Answered", last).answer

    def stream(self, question: str, **options: Unpack[AnswerOptions]) -> Generator[Event]:
        """Yield the events of an answer while it is made, `Answered` last. Closing the generator ends all work.

        Raises NoModel if a method that writes has no model, or the settings have none of that name; OptionRefused for
        an option that the method does not have; what `retrieve` raises; and ModelError, even after sentences have been
        yielded.
        """
        name = options.get("method") or self.settings.method
        request = Question.of(question, options).for_method(name)
        self.settings.with_model(request.model)  # an unknown model is an error even if none is needed
        if request.every_page:
            every_page(self.collection, request)  # raises errors before a model is asked
        return self._stream(request, name, load(method_spec(name).make)(self._method_context(request)))

    @trace_steps("vouch.question")
    def _stream(self, request: Question, name: MethodName, method: Method) -> Generator[Event]:
        """Yield the events of `stream`, for a method that is made."""
        current_span_attributes(vouch__method=name)
        writes = method_spec(name).model
        if writes:
            self.check_model(request.model)
        ledger = Ledger()
        if self._print_check is not None:
            self.collection.originals.prepare()  # its models load while this process searches
        with ledger.measure("retrieve"):
            plan, results = self._search(request, sees=method.sees)
        ledger.split("retrieve", "rerank", results.rerank_seconds)
        yield Planned(plan)
        yield Searched(results.evidence, results.pages)
        if writes and (nothing := self._too_unsure(request, results)):
            draft = Draft((), results.evidence, nothing=nothing)
        else:
            making = method.answer(replace(request, text=plan.question or request.text), results, ledger)
            draft = yield from as_printed(making, partial(self._compare_print, ledger=ledger), at_once=not writes)
        draft = self._with_remarks(draft, request, ledger)
        answer = self._answer(request, name, plan, results, draft, ledger)
        yield Answered(replace(answer, model=request.model or self.model.name) if writes else answer)

    def _too_unsure(self, request: Question, results: Retrieved) -> str:
        """Return why the confidence is too low to ask a model; "" if it is high enough, or if pages are given."""
        if request.pages or request.every_page:
            return ""
        return too_unsure(results, self.settings, "min_confidence_written")

    def _with_remarks(self, draft: Draft, request: Question, ledger: Ledger) -> Draft:
        """Return the draft with the remarks of plugins after the answer and before the passages beside it."""
        if not draft.sentences or not (makers := additions("remarks")):
            return draft
        context = self._method_context(request)
        remarks: list[Sentence] = []
        with ledger.measure("remark"):
            for maker in makers:
                try:
                    remarks += load(maker.make)(draft, context)
                except Exception:  # a plugin's fault costs its remarks, never the answer
                    log.exception("%s failed", maker.make)
                    ledger.add(notes=(REMARKS_FAILED,))
        agreeing = [one for one in remarks if not self._compare_print(one, ledger).differs]
        own, others = ([s for s in draft.sentences if s.beside is beside] for beside in (False, True))
        return replace(draft, sentences=(*own, *agreeing, *others))

    def _compare_print(self, sentence: Sentence, ledger: Ledger) -> Sentence:
        """Return a sentence after comparing it with the rendering of its pages, if the settings say so."""
        if self._print_check is None:
            return sentence
        with ledger.measure("compare"):
            sentence, notes = self._print_check(sentence)
        ledger.add(notes=notes)
        return sentence

    def describe(self, documents: Sequence[str] = ()) -> Generator[Extracted]:
        """Extract and store knowledge of figures, and of tables that code cannot read; yield the progress.

        `documents` are ids, names or paths, or all if empty. Knowledge of texts is extracted when they are retrieved.
        Raises NoModel, ServerDown, DocumentMissing.
        """
        from rag.knowledge import describe

        self.check_model()
        return describe(self.collection, self.settings, self.model, documents)

    def recheck(self, answer: Answer) -> Answer:
        """Return the answer with every sentence checked again, against its citations first and then all its evidence.

        For answers that were edited or written by something else: a sentence with a changed number loses its box.
        """
        by_label = {item.label: item for item in answer.evidence}
        localizer = localizer_of(self.collection, self.settings, lambda: self.model)
        check = Checker(self._judge, localizer, about=(answer.question,))
        evidence_of = [[by_label[c.label] for c in s.citations if c.label in by_label] for s in answer.sentences]
        sentences = tuple(
            s if s.heading else check(s.text, own, answer.evidence)
            for s, own in zip(answer.sentences, evidence_of, strict=True)
        )
        ledger = Ledger()
        compared_sentences = tuple(self._compare_print(sentence, ledger) for sentence in sentences)
        return replace(answer, sentences=compared_sentences, notes=tuple(dict.fromkeys((*answer.notes, *ledger.notes))))

    def check_model(self, name: str | None = None) -> None:
        """Raise NoModel without a model, ServerDown if its server cannot be reached, before any work is done.

        `name` is that of a model in the settings; None means the default.
        """
        check = getattr(self.model_named(name), "check_reachable", None)  # a model that was given may have none
        if check is not None:
            check()

    def check(self, question: str, text: str | Sequence[AnswerStatement], **options: Unpack[SearchOptions]) -> Answer:
        """Return an answer that somebody else wrote with every statement checked; raises what `stream_check` raises."""
        (last,) = deque(self.stream_check(text, question, **options), maxlen=1)
        return cast("Answered", last).answer

    @trace_steps("vouch.text")
    def stream_check(
        self, text: str | Sequence[AnswerStatement], question: str = "", **options: Unpack[SearchOptions]
    ) -> Generator[Event]:
        """Yield the statements of a text, all as drafts and then each checked; `Answered` last.

        `text` is plain text or Markdown, or its statements. Each is checked against the evidence for the question,
        if there is one, and then against what a search with the statement itself finds; a heading is a remark. A source
        that it names is looked up in the collection if a plugin does that. Closing the generator ends all work. Raises
        what `retrieve` raises, and NothingWritten for a text without a statement.
        """
        request = Question.of(question, options)
        ledger = Ledger()
        if isinstance(text, str):
            entries, text = own_bibliography(text)
            parts = statements(text, MOST_STATEMENTS + 1)
        else:
            parts = list(text)
            entries = listed_entries(parts)
        if not parts:
            raise NothingWritten("the text makes no statement that could be checked: give sentences or lists")
        if len(parts) > MOST_STATEMENTS:
            ledger.add(notes=(f"Only the first {MOST_STATEMENTS:,} statements were checked: the rest is left out.",))
        plan, results = Queries((), (), Hints()), Retrieved(request.mode or "text", (), ())
        if question:
            with ledger.measure("retrieve"):
                plan, results = self._search(request)
        yield Planned(plan)
        yield Searched(results.evidence, results.pages)
        parts = parts[:MOST_STATEMENTS]
        for index, statement in enumerate(parts):
            yield Drafted(index, statement.text, ())
        if self._print_check is not None:
            self.collection.originals.prepare(min(READERS, self.collection.settings.workers))
        localizer = localizer_of(self.collection, self.settings, lambda: self.model)
        search = ClaimSearch(self.collection, self.settings, request, results)
        arbiter = self._arbiter()
        check = TextCheck(
            self.collection,
            request.text,
            results.evidence,
            search,
            self._judge or arbiter,
            localizer=localizer,
            entries=entries,
        )
        ledger.add(notes=check.notes_on(parts))
        sentences = []
        checks = ledger.timing("check", map(check, parts))
        for index, sentence in enumerate(compare_in_order(checks, partial(self._compare_print, ledger=ledger))):
            sentences.append(sentence)
            yield Checked(index, sentence)
        if arbiter is not None:
            ledger.charge(arbiter, localizer)
        labels = {citation.label for sentence in sentences for citation in sentence.citations}
        more = tuple(item for item in search.extra_evidence if item.label in labels)
        draft = Draft(tuple(sentences), (*results.evidence, *more))
        yield Answered(self._answer(request, "vanilla", plan, results, draft, ledger))

    def _arbiter(self) -> Judge | None:
        """Return a judge, with a limit on its requests, of what rules leave open in a text; None without a model."""
        has_model = self._model is not None or self.settings.model is not None
        if self._judge is not None or not (has_model or self.settings.verifier):
            return None
        crops = Crops(self.collection, self.settings.writing.page_width, self.settings.writing.picture_side)
        judge = judge_of(self.settings, self.model if has_model else None, crops, None)
        return BoundedJudge(judge) if judge is not None else None

    def _method_context(self, request: Question) -> MethodContext:
        settings, model = self.settings.with_model(request.model), partial(self.model_named, request.model)
        return MethodContext(self.collection, settings, model, partial(self._search_missing, request), self._judge)

    def _search(self, request: Question, *, sees: bool = False) -> tuple[Queries, Retrieved]:
        """Return the queries and what they found; with `sees` also the image of the question, for the method."""
        validate_question(request.text, self.settings)
        if request.pages:
            results = retrieve_pages(self.collection, request, self.settings)
            return Queries((), (), Hints()), replace(
                results, picture=self._read_attachment(request, most=0, draw=sees)[1]
            )
        most = validate_count("queries", request.queries, self.settings.queries, MOST_QUERIES)
        check_request(self.collection, self.settings, request)  # before an image is read, which takes seconds
        planner = self._planner_of(request)
        image_text, picture = self._read_attachment(
            request, most=MAX_IMAGE_CHARS, draw=sees or planner is not self._rules
        )
        plan = planner.plan(request.text, most, image_text, picture)
        results = retrieve(self.collection, plan, request, self.settings)
        made_with = self.collection.settings
        if results.slips and planner is self._rules and not is_unread_language(request.text, made_with):
            question = correct_spelling(request.text, results.slips)
            corrections = ", ".join(f"“{slip}” as “{word}”" for slip, word in results.slips.items())
            plan = replace(
                planner.plan(question, most, image_text, picture), question=question, notes=(f"Read {corrections}.",)
            )
            results = retrieve(self.collection, plan, request, self.settings)
        if not method_spec(request.method or self.settings.method).model:
            plan = replace(plan, notes=(*plan.notes, *embedder_note(request.text, made_with)))
        return plan, replace(results, picture=picture) if sees else results

    def _search_missing(self, request: Question, missing: str) -> Retrieved:
        """Search the documents of the question for what a model says is missing."""
        text = missing[: self.settings.max_question_chars]
        plan = self._rules.plan(text if any(map(str.isalnum, text)) else request.text, self.settings.queries, "", None)
        return retrieve(self.collection, plan, request, self.settings)

    def _read_attachment(self, request: Question, *, most: int, draw: bool) -> tuple[str, Image.Image | None]:
        """Return the text of the attached file, at least its first `most` characters, and its image."""
        if request.image is None or not (most or draw):
            return "", None
        from indexing import read_attachment  # it brings in what reads files

        workers, width = self.collection.originals.workers, PICTURE_WIDTH if draw else 0
        return read_attachment(request.image, self._attachment_settings, most=most, width=width, workers=workers)

    def _planner_of(self, request: Question) -> QueryPlanner:
        """Return the planner of the queries: the one given to the pipeline, else the one that the settings choose."""
        if self._planner is not None or self.settings.planner == "rules":
            return self._planner or self._rules
        from rag.question import ModelPlanner

        return ModelPlanner(self.model_named(request.model), self._rules)

    def _answer(
        self, request: Question, name: MethodName, plan: Queries, results: Retrieved, draft: Draft, ledger: Ledger
    ) -> Answer:
        """Return the answer that a draft, its queries, its results and the ledger make up."""
        missing_files = missing_notes(self.collection, draft.sentences)
        ledger.add(plan.usage, (*plan.notes, *results.notes, *missing_files))
        settings = self.settings.with_model(request.model)
        return Answer(
            question=request.text,
            mode=results.mode,
            sentences=draft.sentences,
            evidence=draft.evidence,
            confidence=0.0 if request.pages else confidence_of(results),
            timings=ledger.total(),
            settings_hash=settings.hash,
            queries=tuple(q.text for q in plan.text),
            pages=results.pages,
            method=name,
            usage=ledger.usage,
            notes=tuple(ledger.notes),
            nothing=draft.nothing or results.nothing,
            drawn=draft.drawn,
            missing=draft.missing,
        )
