"""The events that `Pipeline.stream` yields while it makes an answer; the last one is `Answered`."""

from __future__ import annotations

from dataclasses import dataclass

from rag.question import Queries
from rag.types import Answer, Evidence, RankedPage, Sentence


@dataclass(frozen=True, slots=True)
class Planned:
    """The queries that are searched for."""

    queries: Queries


@dataclass(frozen=True, slots=True)
class Searched:
    """The evidence and pages that were found, best first."""

    evidence: tuple[Evidence, ...]
    pages: tuple[RankedPage, ...]


@dataclass(frozen=True, slots=True)
class Extracted:
    """The progress: `done` of `total` pieces of evidence were read; `problem` says why the last has no knowledge."""

    done: int
    total: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """The pages that the model is shown, best first, in round `number` (from 1); `looking_for` is what is missing.

    In a later round the model is asked again, with pages from a search for what was missing.
    """

    pages: tuple[RankedPage, ...]
    number: int = 1
    looking_for: str = ""


@dataclass(frozen=True, slots=True)
class Drafted:
    """A sentence `index` (from 0) as written, naming evidence by label; it is not checked, so nothing is boxed yet.

    A repeated index replaces that sentence and all after it: the model had to start again.
    """

    index: int
    text: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """The sentence `index` with its verdict and the citations that prove it."""

    index: int
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Answered:
    """The whole answer."""

    answer: Answer


Event = Planned | Searched | Extracted | Shown | Drafted | Checked | Answered
