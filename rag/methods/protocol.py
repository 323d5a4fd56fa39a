"""The protocol of a method, which answers from the retrieved evidence, and the check of its draft against the print."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

from indexing import Collection
from rag.attribution import compare_in_order
from rag.events import Checked, Event
from rag.llm import ChatModel
from rag.options import Question
from rag.retrieval import Retrieved
from rag.settings import RagSettings
from rag.types import DrawnBox, Evidence, Judge, Sentence
from rag.usage import Ledger


@dataclass(frozen=True, slots=True)
class Draft:
    """The checked sentences with the evidence that they cite; `drawn` is the box that the model of method visa drew.

    `nothing` says why there is no sentence, where the method knows; `missing` is what the model says the pages do not
    show.
    """

    sentences: tuple[Sentence, ...]
    evidence: tuple[Evidence, ...]
    drawn: DrawnBox | None = None
    nothing: str = ""
    missing: str = ""


@dataclass(frozen=True, slots=True)
class MethodContext:
    """The parts that a method is made with.

    `model` returns the model that writes, or raises NoModel; `search` returns the results for a text in the documents
    of the question; `judge` decides what rules leave open, None for that of the settings.
    """

    collection: Collection
    settings: RagSettings
    model: Callable[[], ChatModel]
    search: Callable[[str], Retrieved]
    judge: Judge | None = None


class Method(Protocol):
    """A method of answering from the retrieved evidence."""

    @property
    def sees(self) -> bool:
        """True if the method looks at a picture that goes with the question."""
        ...

    def answer(self, question: Question, results: Retrieved, ledger: Ledger) -> Generator[Event, None, Draft]:
        """Yield drafts and verdicts as they come, and return the draft. Closing it ends all work.

        Raises ModelError, even after sentences were yielded.
        """
        ...


def as_printed(
    making: Generator[Event, None, Draft], compare: Callable[[Sentence], Sentence], *, at_once: bool
) -> Generator[Event, None, Draft]:
    """Yield the events of a method, with `compare` applied to each checked sentence; return the draft with these.

    With `at_once` the method does not wait for a model between its events, and sentences are processed in parallel.
    `compare` is called once for each sentence, so that a page that cannot be drawn is not waited for twice.
    """
    compare_once = lru_cache(None)(compare)
    drafts: list[Draft] = []

    def events() -> Generator[Event]:
        drafts.append((yield from making))

    def compare_event(event: Event) -> Event:
        return replace(event, sentence=compare_once(event.sentence)) if isinstance(event, Checked) else event

    with closing(making):
        yield from compare_in_order(events(), compare_event) if at_once else map(compare_event, events())
    (draft,) = drafts
    return replace(draft, sentences=tuple(map(compare_once, draft.sentences)))
