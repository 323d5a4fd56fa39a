"""The questions that the page suggests of each collection: found in the background, once for each of its states.

It knows nothing of Gradio; every method may be called from any thread.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from indexing import IndexingError
from rag import Pipeline, Planner, RagError
from rag.question import candidate_questions, load_glossary, suggested_questions
from ui.state.people import EVERYTHING, acting

if TYPE_CHECKING:
    from indexing import Collection
    from ui.web.open_collections import OpenCollections

State = tuple[str, tuple[tuple[str, str], ...]]
"""A collection at one time: its name, and its documents by id, each with the time when it was indexed."""

MOST_SECONDS = 20.0
"""The seconds after which no further question is tried."""
_MOST_DOCUMENTS, _MOST_PAGES = 8, 16
"""The number of documents, the newest, and of the first pages of each, that questions are made of."""
_MOST_KEPT = 100
_MOST_CLOSING = 20.0
"""The seconds for which closing waits for the question that is being tried."""
_LOG = logging.getLogger(__name__)


class Suggestions:
    """The suggested questions of one running page; they end with its collections."""

    def __init__(self, open_collections: OpenCollections) -> None:
        """Keep the collections; nothing is made before it is asked for."""
        self._open_collections = open_collections
        self._found: dict[State, tuple[str, ...]] = {}
        self._under_way: set[State] = set()
        self._guard = threading.Lock()
        self._one_at_a_time = threading.Lock()
        self._closed = threading.Event()
        self._threads: list[threading.Thread] = []
        open_collections.at_close(self.close)

    def questions(self, name: str) -> tuple[str, ...] | None:
        """Return the questions, None while they are generated: the first call for a collection's state starts that."""
        if self._closed.is_set():
            return ()
        try:
            with self._open_collections.opened(name) as (collection, _):
                state = (name, tuple((d.id, d.indexed_at) for d in collection.documents()))
        except IndexingError:  # asking says what is wrong with it
            return ()
        with self._guard:
            if state not in self._found and state not in self._under_way:
                self._under_way.add(state)
                self._begin(state)
            return self._found.get(state)

    def close(self) -> None:
        """Try no further question."""
        self._closed.set()
        for thread in self._threads:
            thread.join(timeout=_MOST_CLOSING)

    def _begin(self, state: State) -> None:
        if self._closed.is_set():
            return
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        self._threads.append(
            threading.Thread(target=self._make, args=(state,), name=f"suggest {state[0]}", daemon=True)
        )
        self._threads[-1].start()

    def _make(self, state: State) -> None:
        questions: tuple[str, ...] = ()
        try:
            with self._one_at_a_time:
                if not self._closed.is_set():
                    with acting(EVERYTHING), self._open_collections.open_warm(state[0]) as (collection, pipeline):
                        questions = self._make_questions(collection, pipeline)
        except (IndexingError, RagError, OSError) as error:
            _LOG.info("no questions are suggested of %s: %s", state[0], error)
        except Exception:  # noqa: BLE001 - the edge of the process: logged, and nothing is suggested
            _LOG.exception("suggesting failed")
        with self._guard:
            self._under_way.discard(state)
            self._found[state] = questions
            for old in list(self._found)[:-_MOST_KEPT]:
                del self._found[old]

    def _make_questions(self, collection: Collection, pipeline: Pipeline) -> tuple[str, ...]:
        """Generate questions about the newest documents that quotes can answer; no model is called."""
        newest = sorted(collection.documents(), key=lambda d: d.indexed_at, reverse=True)[:_MOST_DOCUMENTS]
        documents = []
        for document in newest:
            pages = [(document.id, n + 1) for n in range(min(document.n_pages, _MOST_PAGES))]
            documents.append([element for own in collection.elements_on(pages) for element in own])
        settings = pipeline.settings.model_copy(update={"localizer": "element"})
        own_pipeline = Pipeline(collection, settings, Planner(load_glossary(settings.glossary)))
        until = time.monotonic() + MOST_SECONDS
        return suggested_questions(
            candidate_questions(documents),
            lambda question: own_pipeline.answer(question, method="quote"),
            lambda: time.monotonic() < until and not self._closed.is_set(),
        )
