"""The protocol of a method, which makes an answer of the retrieved evidence, and the draft that it returns."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Protocol

from rag.events import Event
from rag.options import Question
from rag.retrieval import Retrieved
from rag.types import DrawnBox, Evidence, Sentence
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


class Method(Protocol):
    """A method of making an answer of the retrieved evidence."""

    @property
    def sees(self) -> bool:
        """True if the method looks at a picture that goes with the question."""
        ...

    def answer(self, asked: Question, found: Retrieved, ledger: Ledger) -> Generator[Event, None, Draft]:
        """Yield drafts and verdicts as they come, and return the draft. Closing it ends all work.

        Raises ModelError, even after sentences have been told.
        """
        ...
