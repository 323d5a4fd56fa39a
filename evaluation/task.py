"""What a benchmark is to the harness: a module of `evaluation.tasks` with these names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from evaluation.choosing import Choice
from evaluation.judging import Rubric
from evaluation.questions import Figures, Gold, Question


class Task(Protocol):
    """A benchmark. The modules of `evaluation.tasks` are its implementations."""

    @property
    def NAME(self) -> str:  # noqa: N802  a constant of a module
        """Of the task on the command line."""
        ...

    @property
    def SAYS(self) -> str:  # noqa: N802
        """What it measures, in a line."""
        ...

    @property
    def SCOPE(self) -> str:  # noqa: N802
        """`document`: asked of the question's own documents; `collection`: of all."""
        ...

    @property
    def GROUPINGS(self) -> tuple[str, ...]:  # noqa: N802
        """Names of the groups that its tables are broken down by."""
        ...

    @property
    def MACRO(self) -> str | None:  # noqa: N802
        """The grouping over which the paper takes its macro average, if it does."""
        ...

    @property
    def TABLE(self) -> tuple[str, ...]:  # noqa: N802
        """The figures of the paper's main table, in its order."""
        ...

    def load(self, data: Path, documents: Path | None, material: Path, limit_docs: int | None) -> Gold:
        """Read the data; what has to be made a document of first is written into the folder `material`."""
        ...

    def figures(
        self, question: Question, predicted: Mapping[str, Any], judged: Mapping[str, float] | None = None
    ) -> Figures:
        """The figures of a question, from 0 to 1; None where nothing is asked, or where only a judge could say."""
        ...


@runtime_checkable
class Judged(Task, Protocol):
    """A benchmark of which some figures take a judge."""

    def rubrics(self, question: Question, predicted: Mapping[str, Any]) -> Sequence[Rubric]:
        """What a judge is asked about an answer; the keys are those that `figures` finds in `judged`."""
        ...


@runtime_checkable
class Choosing(Task, Protocol):
    """A benchmark that also puts its sources to a model as a choice."""

    @property
    def CHOSEN(self) -> tuple[str, ...]:  # noqa: N802
        """The figures that this gives: shown by group too, where there are any."""
        ...

    def choice(self, question: Question, seed: int) -> Choice:
        """What a model is asked to choose from; what it chose is `identified` of the line that `figures` gets."""
        ...


@runtime_checkable
class Foreign(Task, Protocol):
    """A benchmark that also reads the outputs of other systems in a form of its own, and writes ours so."""

    def foreign(self, question: Question, row: Mapping[str, Any]) -> dict[str, Any]:
        """The line of another system's answer."""
        ...

    def written(self, question: Question, row: Mapping[str, Any]) -> str:
        """A line of ours in that form: what a run writes as outputs.jsonl."""
        ...


@runtime_checkable
class Deep(Task, Protocol):
    """A benchmark with a figure that looks further down the ranking than most runs retrieve."""

    @property
    def DEEPEST(self) -> tuple[str, int]:  # noqa: N802
        """That figure, and how many documents of the ranking it looks at."""
        ...


@runtime_checkable
class Fluent(Task, Protocol):
    """A benchmark that also measures how fluent the answers of a whole run are."""

    @property
    def FLUENCY(self) -> bool:  # noqa: N802
        """Whether it does."""
        ...
