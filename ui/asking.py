"""Asking in the page: a question becomes a turn of its visitor, is answered on a thread, and can be exported.

Knows nothing of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import io
import tempfile
import threading
import zipfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rag import Pipeline, Planner
from rag.glossary import load_glossary
from rag.planner import ModelPlanner
from ui.export import export
from ui.follow_up import FollowUp, followed_by, is_follow_up
from ui.interrupt import Interrupted, Interruptible
from ui.page_views import PageView
from ui.sanitize import safe_name
from ui.settings import ui_settings
from ui.turns import Asked, History, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexing import Collection, IndexingSettings
    from rag.events import Event
    from rag.queries import QueryPlanner
    from ui.desk import Desk

FORMS = {
    "markdown": (".md", "text/markdown"),
    "html": (".html", "text/html"),
    "json": (".json", "application/json"),
    "pdf": (".pdf", "application/pdf"),
}
AT_ONCE = 4
"""Questions that are answered at a time, those of comparisons among them; others wait for their turn."""
_PATIENCE = 0.2
"""Seconds until a question that waits looks whether it was taken back."""


class Asking:
    """The questions of all visitors of one running page."""

    def __init__(self, desk: Desk) -> None:
        """`desk` has the collections."""
        self.desk = desk
        self.history = History()
        self._places = threading.Semaphore(AT_ONCE)

    def start(self, visitor: str, asked: Asked) -> Turn:
        """Begin to answer; the turn tells how far it is. A short question, or one that points back, is a follow-up."""
        earlier = [t for t in self.history.turns(visitor) if t.asked.collection == asked.collection]
        if earlier and not asked.previous and is_follow_up(asked.question):
            asked = replace(asked, previous=followed_by(earlier[-1].asked))
        turn = Turn(asked)
        self.history.add(visitor, turn)
        threading.Thread(target=turn.run, args=(self._events(turn),), name=f"ask {turn.id}", daemon=True).start()
        return turn

    def _events(self, turn: Turn) -> Iterator[Event]:
        """What happens while it is answered; raises IndexingError or RagError."""
        asked = turn.asked
        with self._place(turn), self.desk.warmed(asked.collection) as (collection, pipeline):
            limits = ui_settings(self.desk.profile)
            own = _for_turn(pipeline, collection, turn, limits.within(collection.settings))
            yield from own.stream(
                asked.question,
                mode=asked.mode,
                documents=asked.documents,
                top_k=asked.top_k,
                queries=asked.queries,
                image=asked.image,
                method=asked.method,
                extract=asked.extract,
                earlier=asked.previous,
            )

    @contextmanager
    def _place(self, turn: Turn) -> Iterator[None]:
        """One of the places of those who are answered, as soon as one is free. Raises Interrupted after a stop."""
        while not self._places.acquire(timeout=_PATIENCE):
            if turn.stopped:
                raise Interrupted("the question was taken back")
        try:
            turn.begin()
            yield
        finally:
            self._places.release()

    def pages(self, turn: Turn) -> tuple[PageView, ...]:
        """The cited pages of what is answered by now. Raises IndexingError."""
        answer = turn.now.answer
        return self.desk.pages(turn.asked.collection, answer) if answer is not None else ()

    def export(self, visitor: str, turn_id: str, form: str) -> tuple[str, bytes, str] | None:
        """An answer as (file name, content, media type), several files as one ZIP; None when the visitor has none such.

        `form` is a key of FORMS. Raises IndexingError and OSError.
        """
        turn = self.history.turn(visitor, turn_id)
        answer = turn.now.answer if turn else None
        if turn is None or answer is None:
            return None
        suffix, media = FORMS[form]
        stem = safe_name(answer.question, 48)
        with self.desk.opened(turn.asked.collection) as (collection, _), tempfile.TemporaryDirectory() as folder:
            files = export(answer, collection, Path(folder) / f"{stem}{suffix}")
            if len(files) == 1:
                return files[0].name, files[0].read_bytes(), media
            return f"{stem}.zip", zipped(files, Path(folder)), "application/zip"


def zipped(files: list[Path], folder: Path) -> bytes:
    """Files as one ZIP, named as they lie in `folder`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, file.relative_to(folder).as_posix())
    return buffer.getvalue()


def _for_turn(pipeline: Pipeline, collection: Collection, turn: Turn, attached: IndexingSettings) -> Pipeline:
    """The pipeline of a collection as one turn wants it: a model that can be stopped, questions asked before, and an
    image within the limits of the page (`attached`), which are not those of what is in the collection.
    """
    settings, previous = pipeline.settings, turn.asked.previous
    model = Interruptible(pipeline.model, lambda: turn.stopped) if settings.model else None
    planner: QueryPlanner | None = None
    if previous:
        rules = Planner(load_glossary(settings.glossary))
        planner = FollowUp(ModelPlanner(model, rules) if model and settings.planner == "model" else rules, previous)
    if not (model or planner or turn.asked.image):
        return pipeline
    return Pipeline(collection, settings, planner, model=model, attached=attached)
