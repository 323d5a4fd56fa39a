"""The protocol of a method, which answers from the retrieved evidence, and the draft that it returns."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Protocol

from indexing import Collection
from rag.events import Event
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
