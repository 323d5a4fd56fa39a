"""Asking in the page: a question becomes a turn of its visitor, is answered on a thread, and can be exported.

Knows nothing of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import io
import re
import tempfile
import threading
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rag import Pipeline, Planner, Queries
from rag.glossary import load_glossary
from rag.planner import ModelPlanner
from ui.export import export
from ui.interrupt import Interruptible
from ui.page_views import PageView
from ui.sanitize import safe_name
from ui.turns import Asked, History, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL import Image

    from indexing import Collection
    from rag.events import Event
    from rag.queries import QueryPlanner
    from ui.desk import Desk

FORMS = {
    "markdown": (".md", "text/markdown"),
    "html": (".html", "text/html"),
    "json": (".json", "application/json"),
    "pdf": (".pdf", "application/pdf"),
}
BARE, WHOLE = 2, 5
"""With fewer words of its own than `BARE`, a question is taken for a follow-up to the one before; with `WHOLE` or more
it stands alone, whatever pronouns are in it.
"""
_GOES_ON = re.compile(r"^(?:and|but|so|then|what about|how about|und|aber)\b", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|these|those|he|she|his|her|same|former|latter|er|sie|ihre?|deren|dessen)\b",
    re.IGNORECASE,
)
_OF_EVERY_QUESTION = re.compile(
    r"what|which|when|where|does|were|many|much|with|have|been|that|this|there|from|will|would|could|should|about|than|"
    r"the(?:ir|y|m|se)|those|same|former|latter|welche[rs]?|wann|viele|wird|sind|wurden?|haben|dessen|deren"
)


class Asking:
    """The questions of all visitors of one running page."""

    def __init__(self, desk: Desk) -> None:
        """`desk` has the collections."""
        self.desk = desk
        self.history = History()

    def start(self, visitor: str, asked: Asked) -> Turn:
        """Begin to answer; the turn tells how far it is. A short question, or one that points back, is a follow-up."""
        earlier = [t for t in self.history.turns(visitor) if t.asked.collection == asked.collection]
        if earlier and not asked.previous and is_follow_up(asked.question):
            asked = replace(asked, previous=earlier[-1].asked.question)
        turn = Turn(asked)
        self.history.add(visitor, turn)
        threading.Thread(target=turn.run, args=(self._events(turn),), name=f"ask {turn.id}", daemon=True).start()
        return turn

    def _events(self, turn: Turn) -> Iterator[Event]:
        """What happens while it is answered; raises IndexingError or RagError."""
        asked = turn.asked
        with self.desk.warmed(asked.collection) as (collection, pipeline):
            own = _for_turn(pipeline, collection, turn)
            yield from own.stream(
                asked.question,
                mode=asked.mode,
                documents=asked.documents,
                top_k=asked.top_k,
                queries=asked.queries,
                image=asked.image,
                method=asked.method,
                extract=asked.extract,
            )

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


def is_follow_up(question: str) -> bool:
    """True for a question that hardly stands alone: one that says little itself, goes on, or points back."""
    own = sum(not _OF_EVERY_QUESTION.fullmatch(word) for word in re.findall(r"\w{4,}", question.lower()))
    return own < BARE or bool(_GOES_ON.search(question)) or (own < WHOLE and bool(_POINTS_BACK.search(question)))


def _for_turn(pipeline: Pipeline, collection: Collection, turn: Turn) -> Pipeline:
    """The pipeline of a collection as one turn wants it: a model that can be stopped, a question asked before."""
    settings, previous = pipeline.settings, turn.asked.previous
    model = Interruptible(pipeline.model, lambda: turn.stopped) if settings.model else None
    planner: QueryPlanner | None = None
    if previous:
        rules = Planner(load_glossary(settings.glossary))
        planner = FollowUp(ModelPlanner(model, rules) if model and settings.planner == "model" else rules, previous)
    return Pipeline(collection, settings, planner, model=model) if model or planner else pipeline


class FollowUp:
    """A planner that adds the question asked before to the queries: nothing is restricted, and nothing else weighed."""

    def __init__(self, planner: QueryPlanner, previous: str) -> None:
        """`planner` makes the queries of the question itself."""
        self._planner = planner
        self._previous = previous

    def plan(self, question: str, n: int, image_text: str = "", image: Image.Image | None = None) -> Queries:
        """The queries of the question, at most `n` of them, and the previous question as one more."""
        own = self._planner.plan(question, n, image_text, image)
        before = self._planner.plan(self._previous, 1)
        return replace(own, text=(*own.text, *before.text), image=(*own.image, *before.image))
