"""The checks of the page: a visitor's text, its statements with their verdicts as they come, and the exports.

Independent of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugins.audit.manuscripts import read_manuscript, written_statements
from plugins.audit.progress import LatestWork, checked_answer
from ui.web import begin_thread
from ui.web.ask import AskRequest, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from indexing import Collection
    from rag import Answer, Event, Pipeline, SearchOptions
    from rag.attribution import AnswerStatement
    from ui.show import Moment
    from ui.web.ask import Asking
    from ui.web.open_collections import OpenCollections
    from ui.web.uploads import Uploads

MOST_VISITORS = 200
"""The number of visitors whose last check is kept."""
PASTED = "the pasted text"


@dataclass(frozen=True, slots=True)
class BroughtText:
    """A text that is to be checked: `name` is the name of its file, or "the pasted text".

    `statements` are its statements, `words` the number of its words; `notes` are
    about problems in reading it.
    """

    name: str
    statements: Sequence[AnswerStatement]
    words: int
    notes: tuple[str, ...] = ()

    @classmethod
    def from_pasted(cls, text: str) -> BroughtText:
        """Return the statements of a pasted text."""
        return cls(PASTED, written_statements(text), len(text.split()))


@dataclass(frozen=True, slots=True)
class CheckRun:
    """One check: `text` is the text, `turn` its progress."""

    text: BroughtText
    turn: Turn

    @property
    def id(self) -> str:
        """The id by which its evidence and its exports are requested."""
        return self.turn.id

    def answer(self, moment: Moment) -> Answer:
        """Return the statements checked so far as an answer; if it was stopped, its notes say so."""
        return checked_answer(moment, self.text.name, self.text.notes)


class Checks:
    """The latest check of each visitor, and the file that each has uploaded, in memory."""

    def __init__(self, asking: Asking) -> None:
        """Keep `asking`, whose collections and slots the checks share, and register the exports."""
        self.asking = asking
        self._runs: LatestWork[CheckRun] = LatestWork(MOST_VISITORS)
        self._texts: LatestWork[BroughtText] = LatestWork(MOST_VISITORS)
        asking.downloads.add(self.export)

    def bring(self, visitor: str, text: BroughtText | None) -> None:
        """Keep the uploaded file of a visitor until a check starts; None forgets it."""
        self._texts.put(visitor, text if visitor else None)

    def uploaded_file(self, visitor: str) -> BroughtText | None:
        """Return the visitor's latest uploaded file, None if there is none."""
        return self._texts.of(visitor)

    def start(
        self,
        visitor: str,
        collection: str,
        text: BroughtText,
        question: str,
        documents: Sequence[str],
        where: str | None = None,
    ) -> CheckRun:
        """Begin to check a text; the visitor's earlier check is stopped."""
        request = AskRequest.of(collection, question.strip(), documents=tuple(documents), where=where)
        run = CheckRun(text, Turn(request))
        for old in self._runs.put(visitor or run.id, run):  # without a visitor id, the run's own id is the key
            old.turn.stop()
        events = self.asking.open_collections.metrics.observe_answer("check", self._events(run))
        begin_thread(run.turn.run, events, name=f"check {run.id}")
        return run

    def last(self, visitor: str) -> CheckRun | None:
        """Return the visitor's latest check, None without one."""
        return self._runs.of(visitor)

    def stop(self, visitor: str) -> None:
        """Stop the visitor's check after the current statement; what is checked stays."""
        if (run := self.last(visitor)) is not None:
            run.turn.stop()

    def export(self, visitor: str, run_id: str, form: str) -> tuple[str, bytes, str] | None:
        """Return a check as `Asking.export` returns an answer; if it was stopped, the statements checked until then."""
        run = self.last(visitor)
        if run is None or run.id != run_id or not run.turn.now.checked:
            return None
        return self.asking.export_answer(run.turn.request.collection, run.answer(run.turn.now), form)

    def _open_collection(self, request: AskRequest) -> AbstractContextManager[tuple[Collection, Pipeline]]:
        return self.asking.open_collections.open_warm(request.collection, "check", question=request.question.text)

    def _events(self, run: CheckRun) -> Iterator[Event]:
        """Yield the events of a check. Raises IndexingError or RagError."""
        request = run.turn.request
        with self.asking.slot(run.turn), self._open_collection(request) as (_, pipeline):
            question = request.question
            options: SearchOptions = {"documents": question.documents, "where": question.where}
            yield from pipeline.stream_check(run.text.statements, question.text, **options)


SUFFIXES = (".pdf", ".docx", ".html", ".htm", ".md", ".markdown", ".txt")
"""The suffixes of the files that can be checked."""


def read_brought(
    open_collections: OpenCollections,
    uploads: Uploads,
    files: Sequence[Mapping[str, Any]] | Mapping[str, Any] | None,
) -> BroughtText:
    """Return the statements of the one file that was uploaded. Raises UploadError, DocumentUnreadable, FileError."""
    name, path = uploads.take_one(files)
    try:
        settings = uploads.settings.cap_settings(open_collections.profile.indexing)
        manuscript = read_manuscript(path, name=name, settings=settings)
    finally:
        uploads.folder.release(path)
    return BroughtText(name, manuscript.statements, len(manuscript.text.split()), manuscript.notes)
