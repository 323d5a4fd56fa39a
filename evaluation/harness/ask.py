"""The asking of a benchmark's questions: index missing documents, ask in parallel within limits, write lines."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from evaluation.console import print_indexing, print_progress
from evaluation.errors import HOPELESS, GoldUnreadable, RunRefused, Unshowable
from evaluation.harness.given import Choose, GivenPages, answer_without_sources, closed_book
from evaluation.harness.predictions import Predictions
from evaluation.tasks import Gold, GoldQuestion, SearchTask, draft_rows, nothing, prediction
from indexing import Collection, Home, IndexingError, IndexingSettings, build_index, default_home
from rag import Answer, Answered, Drafted, Mode, ModelError, Pipeline, RagError

if TYPE_CHECKING:
    from evaluation.harness.plan import Variant

T = TypeVar("T")
R = TypeVar("R")
Answering = Callable[[GoldQuestion], dict[str, Any]]
"""A function that returns the prediction of a question without using the pipeline's answer. Raises RagError."""


@dataclass(frozen=True, slots=True)
class AnswerRun:
    """The mode in which questions are asked, and the file to which their predictions are written."""

    mode: Mode
    predictions: Predictions


def run_hash(gold: Gold, variant: Variant, scope: str) -> str:
    """Return 12 hex digits of a hash of everything that a prediction depends on besides its question."""
    depends = {
        "mode": variant.mode,
        "input": variant.given,
        "base": variant.base,
        "texts": variant.texts,
        **({"inline": True} if variant.inline else {}),
        "scope": scope,
        "rag": variant.profile.rag.hash,
        "indexing": variant.profile.indexing.model_dump(mode="json", exclude={"workers"}),
        "searched": sorted(gold.files) if scope == "collection" else "the question's document",
    }
    return hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()[:12]


def collection_of(
    name: str, home: Home | None, settings: IndexingSettings, modes: Sequence[Mode], *, measured: bool = False
) -> Collection:
    """Open or create a collection; a new one gets a visual embedder if a mode needs one, whatever the profile says.

    Raises RunRefused, before anything is indexed, if an existing one has no visual embedder and a mode needs one, and
    with `measured` also if it has another embedder than `settings`.
    """
    seeing = any(mode != "text" for mode in modes)
    if seeing and settings.visual == "none":
        settings = settings.model_copy(update={"visual": "ocr_regions"})
    collection = Collection.create(name, home or default_home(), settings)
    if seeing and collection.settings.visual == "none":
        raise RunRefused(
            f"collection {collection.name!r} was made without a visual embedder: use --mode text only, or "
            "another collection with --collection"
        )
    if measured and seeing and collection.settings.visual != settings.visual:
        raise RunRefused(
            f"collection {collection.name!r} was made with the visual embedder {collection.settings.visual!r}, and "
            f"{settings.visual!r} is to be measured: use another collection with --collection"
        )
    return collection


def index_missing(collection: Collection, gold: Gold) -> tuple[Gold, bool]:
    """Index missing documents; return the gold without documents that failed, and False after Ctrl-C, else True."""
    present = {document.id for document in collection.documents()}
    missing = [path for doc_id, path in gold.files.items() if doc_id not in present]
    problems = list(gold.problems)
    if missing:
        report = build_index(collection, missing, on_progress=print_indexing)
        print(file=sys.stderr)
        if report.cancelled:
            return gold, False
        failures = [failure.message for file in report.files for failure in file.failures]
        for message in failures:
            print(f"not indexed: {message}", file=sys.stderr)
        problems += failures
        present = {document.id for document in collection.documents()}
    questions = tuple(q for q in gold.questions if present.issuperset(q.documents))
    if not any(q.documents for q in questions) and (not questions or len(questions) < len(gold.questions)):
        raise GoldUnreadable(
            f"none of the documents could be indexed (see above), and none is in collection {collection.name!r}: name "
            "the collection that holds them with --collection"
        )
    absent = {doc_id for q in gold.questions for doc_id in q.documents} - present - set(gold.files)
    if absent:
        problems.append(f"{len(absent)} documents are not in collection {collection.name!r}, nor their questions asked")
        print(f"left out: {problems[-1]}", file=sys.stderr)
    files = {doc_id: path for doc_id, path in gold.files.items() if doc_id in present}
    left_out = gold.left_out + len(gold.questions) - len(questions)
    return replace(gold, questions=questions, files=files, problems=tuple(problems), left_out=left_out), True


def scope_of(collection: Collection, gold: Gold, scope: str) -> tuple[str, ...] | None:
    """Return the ids of the documents to search: None for each question's own, () for the entire collection."""
    if scope == "document":
        return None
    everything = {document.id for document in collection.documents()}
    return () if everything == set(gold.files) else tuple(sorted(gold.files))


def ask(
    pipeline: Pipeline,
    run: AnswerRun,
    questions: Sequence[GoldQuestion],
    scope: tuple[str, ...] | None,
    parallel: int = 1,
    choose: Choose | None = None,
    answering: Answering | None = None,
) -> bool:
    """Ask the questions that have no prediction yet, `parallel` at once; return False after Ctrl-C, else True.

    `choose` returns the pages to show the model in place of retrieved elements; `answering` returns the prediction in
    place of the pipeline. Predictions are written in the order of the questions, so that a stopped run can be resumed.
    Raises an error that every further question would meet (`HOPELESS`), such as an unavailable model.
    """
    rest = [q for q in questions if q.qid not in run.predictions.rows]
    start = time.perf_counter()

    def predict_one(question: GoldQuestion) -> dict[str, Any]:
        return predict(pipeline, question, run.mode, scope, choose, answering)

    try:
        rows = in_order(predict_one, rest, parallel)
        for number, row in enumerate(rows, 1):
            run.predictions.add(row)
            eta = (time.perf_counter() - start) / number * (len(rest) - number)
            done = len(questions) - len(rest) + number
            print_progress(f"{run.mode}: questions", done, len(questions), f"{eta // 60:.0f}:{eta % 60:02.0f} left")
    except KeyboardInterrupt:
        return False
    finally:
        if rest:
            print(file=sys.stderr)
    return True


def warm_up(pipeline: Pipeline, question: GoldQuestion, mode: Mode, scope: tuple[str, ...] | None) -> None:
    """Load models by quoting an answer to a question, so that loading does not count in the time of the first one."""
    if pipeline.settings.method == "quote":
        predict(pipeline, question, mode, scope)
        return
    quoting = {"method": "quote", "planner": "rules", "localizer": "element"}
    predict(Pipeline(pipeline.collection, pipeline.settings.model_copy(update=quoting)), question, mode, scope)
    with suppress(IndexingError):  # the questions will report the error
        pipeline.collection.draw_page(pipeline.collection.documents()[0].id, 1, 64)
    with suppress(ModelError, AttributeError):  # a model that was given lists nothing
        pipeline.model.list_models()  # type: ignore[attr-defined]


def predict(
    pipeline: Pipeline,
    question: GoldQuestion,
    mode: Mode,
    scope: tuple[str, ...] | None,
    choose: Choose | None = None,
    answering: Answering | None = None,
) -> dict[str, Any]:
    """Return the prediction of a question, after a failure one with `error`. Raises the errors of `HOPELESS`."""
    start = time.perf_counter()
    try:
        if answering is not None:
            return answering(question)
        choice = choose(question) if choose is not None else None
        answer, drafts = _answer(pipeline, question, mode, scope, choice)
    except HOPELESS:
        raise
    except (RagError, Unshowable) as error:
        return nothing(question, str(error), pipeline.settings.method)
    milliseconds = 1000 * (time.perf_counter() - start)
    row = prediction(question, answer, milliseconds, tight=pipeline.settings.localizer != "element")
    flag = {} if choice is None or choice.queries else {"searched": False}
    return row | draft_rows(answer, drafts) | flag


def search_line(
    task: SearchTask, pipeline: Pipeline, question: GoldQuestion, mode: Mode, scope: tuple[str, ...]
) -> dict[str, Any]:
    """Return the prediction of a search task's question: its ranking of documents. Raises RagError."""
    start = time.perf_counter()
    _, results = pipeline.retrieve(question.text, mode=mode, documents=scope)
    milliseconds = 1000 * (time.perf_counter() - start)
    best: dict[str, float] = {}
    for page in results.pages:
        best.setdefault(page.doc_id, page.score)
    row = {"qid": question.qid, "question": question.text, **task.ranking(question, list(best.items()))}
    return row | {"latency_ms": round(milliseconds, 3), "settings": pipeline.settings.hash}


def _answer(
    pipeline: Pipeline, question: GoldQuestion, mode: Mode, scope: tuple[str, ...] | None, choice: GivenPages | None
) -> tuple[Answer, list[Drafted]]:
    """Return the answer, and its drafts (sentences before checking). Raises RagError, and Unshowable for its image."""
    documents = question.documents if scope is None else scope
    if choice is not None and choice.closed:
        return closed_book(pipeline, question, mode)
    if choice is not None and not choice.pages:
        return answer_without_sources(pipeline, question, mode), []
    shown_pages = question.shown if pipeline.settings.method == "visa" else ()
    pages = choice.pages if choice is not None else shown_pages
    drafts: list[Drafted] = []
    events = [*pipeline.stream(question.text, documents=documents, mode=mode, image=question.image, pages=pages)]
    for event in events:
        if isinstance(event, Drafted):
            drafts[event.index :] = [event]
    answer = cast("Answered", events[-1]).answer
    return (replace(answer, pages=choice.ranking, queries=choice.queries) if choice is not None else answer), drafts


def in_order(work: Callable[[T], R], items: Sequence[T], parallel: int) -> Iterator[R]:
    """Yield `work(item)` in the order of the items, from `parallel` threads at most twice as many items ahead."""
    if parallel == 1:
        yield from map(work, items)
        return
    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(parallel, "question") as pool:
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) >= 2 * parallel:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)
