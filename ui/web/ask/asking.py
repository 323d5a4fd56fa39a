"""Answering in the page: a question becomes a turn of its visitor, is answered on a thread, and can be exported.

Independent of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import io
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from configs import export_spec, method_spec
from rag import Answered, Pipeline, Planner
from rag.llm import check_reachable
from rag.question import ModelPlanner, load_glossary
from ui.errors import Interrupted
from ui.export import export
from ui.settings import ui_settings
from ui.show import safe_name
from ui.web.ask.conversations import Conversations
from ui.web.ask.turns import AskRequest, FollowUp, History, Turn, followed_by, is_follow_up
from ui.web.followed_work import begin_thread
from ui.web.viewer import CitedPage

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from indexing import Collection, IndexingSettings
    from rag import Answer, Event
    from rag.llm import Capacity, ChatModel, Message, Reply, Schema
    from rag.question import QueryPlanner
    from ui.access import Deed
    from ui.state import StateStore
    from ui.web.open_collections import OpenCollections

ExportMaker = Callable[[str, str, str], tuple[str, bytes, str] | None]
"""Takes visitor, id and form; returns (file name, content, media type), or None if it has nothing of this visitor."""
PageMaker = Callable[[str, str, int, int], bytes | None]
"""Takes visitor, id, page from 1 and width in pixels; returns a WebP, or None if it has nothing of this visitor."""


class Downloads:
    """The functions that make the files to download from one running page, those of plugins among them."""

    def __init__(self) -> None:
        """Start without any function."""
        self._exports: list[ExportMaker] = []
        self._pages: list[PageMaker] = []

    def add(self, export: ExportMaker, page: PageMaker | None = None) -> None:
        """Add a function that makes exports, and one that draws pages."""
        self._exports.append(export)
        if page is not None:
            self._pages.append(page)

    def export(self, visitor: str, known_as: str, form: str) -> tuple[str, bytes, str] | None:
        """Return the file of the first maker that has it, else None. Raises IndexingError and OSError."""
        files = (make(visitor, known_as, form) for make in self._exports)
        return next((file for file in files if file is not None), None)

    def page(self, visitor: str, known_as: str, number: int, width: int) -> bytes | None:
        """Return the drawn page of the first maker that has it, else None. Raises IndexingError."""
        images = (make(visitor, known_as, number, width) for make in self._pages)
        return next((image for image in images if image is not None), None)


class Interruptible:
    """A `ChatModel` that wraps another: once `is_stopped` returns True, it starts no call and continues no stream."""

    def __init__(self, model: ChatModel, is_stopped: Callable[[], bool]) -> None:
        """Keep the model; `is_stopped` is called before each call of it, and at each streamed piece."""
        self.name: str = model.name
        self.capacity: Capacity = model.capacity
        self._model = model
        self._is_stopped = is_stopped

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Reply:
        """Return the complete reply. Raises Interrupted."""
        self._check()
        return self._model.complete(messages, schema=schema, max_tokens=max_tokens, temperature=temperature)

    def stream(
        self, messages: Sequence[Message], *, schema: Schema | None = None, max_tokens: int | None = None
    ) -> Iterator[str | Reply]:
        """Yield pieces of text, then the reply. Raises Interrupted between two of them, and closes the call."""
        self._check()
        pieces = self._model.stream(messages, schema=schema, max_tokens=max_tokens)
        try:
            for piece in pieces:
                self._check()
                yield piece
        finally:
            if close := getattr(pieces, "close", None):
                close()

    def tokens(self, messages: Sequence[Message]) -> int:
        """Estimate the tokens as the model does."""
        return self._model.tokens(messages)

    def _check(self) -> None:
        if self._is_stopped():
            raise Interrupted("the question was cancelled")


AT_ONCE = 4
"""The number of questions answered at a time, those of comparisons among them; others wait for their turn."""
_PATIENCE = 0.2
"""The seconds after which a waiting question checks if it was stopped."""


class Asking:
    """The questions of all visitors of one running page."""

    def __init__(self, open_collections: OpenCollections, state: StateStore) -> None:
        """Keep `open_collections`, which answer, and `state`, in which answers are stored."""
        self.open_collections = open_collections
        self.history = History()
        self.state = state
        self.conversations = Conversations(open_collections, self.history, state)
        self.downloads = Downloads()
        self.downloads.add(self.export)
        self._slots = threading.Semaphore(AT_ONCE)

    def start(self, visitor: str, request: AskRequest, conversation: str = "") -> Turn:
        """Start to answer a question on a thread, and return its turn, which has the progress.

        It belongs to `conversation`, or to a new one if that is not this visitor's. A short question, or one that
        refers back, becomes a follow-up to the question before it in the same conversation.
        """
        conversation = self.conversations.own_or_new(visitor, conversation)
        if not request.question.earlier and is_follow_up(request.question.text):
            turns = self.conversations.turns(visitor, conversation)
            if earlier := [t for t in turns if t.request.collection == request.collection]:
                request = replace(request, question=replace(request.question, earlier=followed_by(earlier[-1].request)))
        turn = Turn(request, conversation)
        self.history.add(visitor, turn)
        events = self.open_collections.metrics.observe_answer("ask", self._store_answer(visitor, turn))
        begin_thread(turn.run, events, name=f"ask {turn.id}")
        return turn

    def _store_answer(self, visitor: str, turn: Turn) -> Iterator[Event]:
        """Yield the events of a turn; the answer is stored before it is yielded."""
        events = self.events(turn)
        with closing(events):
            for event in events:
                if isinstance(event, Answered):
                    self.conversations.keep(visitor, turn, event.answer)
                yield event

    def events(self, turn: Turn) -> Generator[Event]:
        """Yield the events of a turn while it is answered; raises IndexingError or RagError."""
        request = turn.request
        rag = self.open_collections.profile.rag.with_model(request.question.model)
        if rag.model and (method_spec(request.question.method or rag.method).model or rag.planner == "model"):
            check_reachable(rag.model)  # before anything is loaded or searched in vain
        with self.slot(turn), self._open_collection(request) as (collection, pipeline):
            limits = ui_settings(self.open_collections.profile)
            own = _for_turn(pipeline, collection, turn, limits.cap_settings(collection.settings))
            yield from own.stream(request.question.text, **request.question.options())

    def _open_collection(self, request: AskRequest) -> AbstractContextManager[tuple[Collection, Pipeline]]:
        return self.open_collections.open_warm(request.collection, "ask", question=request.question.text)

    @contextmanager
    def slot(self, turn: Turn) -> Iterator[None]:
        """Wait for one of the AT_ONCE slots, and hold it in the block. Raises Interrupted if the turn is stopped."""
        while not self._slots.acquire(timeout=_PATIENCE):
            if turn.is_stopped:
                raise Interrupted("the question was cancelled")
        try:
            turn.begin()
            yield
        finally:
            self._slots.release()

    def pages(self, turn: Turn) -> tuple[CitedPage, ...]:
        """Return the pages that a turn's answer cites; none before it is finished. Raises IndexingError."""
        answer = turn.now.answer
        return self.open_collections.pages(turn.request.collection, answer) if answer is not None else ()

    def export(self, visitor: str, turn_id: str, form: str) -> tuple[str, bytes, str] | None:
        """Return an answer of a visitor as (file name, content, media type), several files as one ZIP.

        `form` is the name of an export. `turn_id` may be the id of a conversation, which is exported as one file. None:
        the visitor has no answer or conversation of that id. Raises IndexingError and OSError.
        """
        turn = self.conversations.turn(visitor, turn_id)
        answer = turn.now.answer if turn else None
        if turn is None or answer is None:
            return self.conversations.export(visitor, turn_id, form)
        return self.export_answer(turn.request.collection, answer, form)

    def shared_answer_page(self, token: str) -> bytes | None:
        """Return a shared answer as one HTML page; None for an unknown link.

        Raises IndexingError, OSError and KeptUnreadable.
        """
        shared = self.conversations.shared_answer(token)
        file = self.export_answer(*shared, "html", "open-link") if shared else None
        return file[1] if file else None

    def export_answer(
        self, name: str, answer: Answer, form: str, deed: Deed = "export"
    ) -> tuple[str, bytes, str] | None:
        """Return an answer from the collection `name` as `export` does; None for an unknown `form`."""
        spec = export_spec(form)
        if spec is None:
            return None
        stem = safe_name(answer.question, 48)
        opening = self.open_collections.open_collection(name, deed, f"as {form}")
        with opening as (collection, _), tempfile.TemporaryDirectory() as folder:
            files = export(answer, collection, Path(folder) / f"{stem}{spec.suffixes[0]}")
            if len(files) == 1:
                return files[0].name, files[0].read_bytes(), spec.media_type
            return f"{stem}.zip", zip_files(files, Path(folder)), "application/zip"


def zip_files(files: list[Path], folder: Path) -> bytes:
    """Return a ZIP of files, named by their paths relative to `folder`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, file.relative_to(folder).as_posix())
    return buffer.getvalue()


def _for_turn(pipeline: Pipeline, collection: Collection, turn: Turn, file_settings: IndexingSettings) -> Pipeline:
    """Return the pipeline of a collection for one turn.

    Its model can be stopped, a follow-up also searches for the questions before it, and an attached image has the
    limits of the page (`file_settings`), not those of the collection's documents.
    """
    settings, previous = pipeline.settings, turn.request.question.earlier
    model: ChatModel | None = None
    if settings.model:
        model = Interruptible(pipeline.model_named(turn.request.question.model), lambda: turn.is_stopped)
    planner: QueryPlanner | None = None
    if previous:
        rules = Planner(load_glossary(settings.glossary))
        own = ModelPlanner(model, rules) if model and settings.planner == "model" else rules
        planner = FollowUp(own, rules, previous)
    if not (model or planner or turn.request.question.image):
        return pipeline
    return Pipeline(collection, settings, planner, model=model, file_settings=file_settings)
