"""What an answer tells while it is made: `Pipeline.stream` yields these, an `Answer` in `Answered` last."""

from __future__ import annotations

from dataclasses import dataclass

from rag.queries import Queries
from rag.types import Answer, Evidence, RankedPage, Sentence


@dataclass(frozen=True, slots=True)
class Planned:
    """What is searched for."""

    queries: Queries


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What was found: evidence and pages, best first."""

    evidence: tuple[Evidence, ...]
    pages: tuple[RankedPage, ...]


@dataclass(frozen=True, slots=True)
class Extracted:
    """Knowledge of `done` of `total` pieces of evidence is there; `problem` says why the last one goes without."""

    done: int
    total: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Drafted:
    """Sentence `index` (from 0) is written, naming evidence by label; it is not checked, so nothing is boxed yet.

    An index that comes again replaces that sentence and all after it: the model had to start anew.
    """

    index: int
    text: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """Sentence `index` with its verdict and the citations that prove it."""

    index: int
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Answered:
    """The whole answer."""

    answer: Answer


Event = Planned | Retrieved | Extracted | Drafted | Checked | Answered
