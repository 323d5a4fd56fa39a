"""The protocol of a benchmark: a module of `evaluation.tasks` or of a plugin with these names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from PIL import Image
from evaluation.tasks.questions import Figures, Gold, GoldQuestion
from evaluation.tasks.rubric import Picture, Rubric
from rag import Mode

ItemPicture = Callable[[str], "Image.Image"]
"""A function that draws the item that is the document of this id. Raises Unshowable."""


class Task(Protocol):
    """A benchmark. Modules of `evaluation.tasks` and of plugins are its implementations.

    A module may have four constants more: WITHIN, the grouping whose groups have a macro average each; CURVE, a figure
    and the one that it is shown against; DEEPEST, a figure and the number of ranked documents that it looks at;
    HIGHEST, the highest score by the name of each prompt whose scale does not end at 1.
    """

    @property
    def NAME(self) -> str:  # noqa: N802  a constant of a module
        """The name of the task on the command line."""
        ...

    @property
    def SAYS(self) -> str:  # noqa: N802
        """The purpose of the benchmark, in a line."""
        ...

    @property
    def SCOPE(self) -> str:  # noqa: N802
        """The scope: `document`, asked of the question's own documents, or `collection`, of all."""
        ...

    @property
    def GROUPINGS(self) -> tuple[str, ...]:  # noqa: N802
        """The names of the groups that its tables are broken down by."""
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
        """Read the data; texts that have to be made documents first are written into the folder `material`."""
        ...

    def figures(
        self, question: GoldQuestion, predicted: Mapping[str, Any], judged: Mapping[str, float] | None = None
    ) -> Figures:
        """Return the figures of a question, from 0 to 1; None without gold, or where only a judge could say."""
        ...


@runtime_checkable
class SearchTask(Task, Protocol):
    """A benchmark of the search alone: it ranks documents for each question, and nothing answers."""

    @property
    def SEARCH_MODE(self) -> Mode:  # noqa: N802
        """The mode that is searched in if none is chosen."""
        ...

    def ranking(self, question: GoldQuestion, pages: Sequence[tuple[str, float]]) -> dict[str, Any]:
        """Return the ranking as a line of predictions has it. `pages` are document ids and scores, best first."""
        ...


@runtime_checkable
class Judged(Task, Protocol):
    """A benchmark that has figures which take a judge."""

    def rubrics(self, question: GoldQuestion, predicted: Mapping[str, Any]) -> Sequence[Rubric]:
        """Return the rubrics of an answer for a judge; the keys are those that `figures` finds in `judged`."""
        ...


@runtime_checkable
class Foreign(Task, Protocol):
    """A benchmark that also reads the outputs of other systems in a form of its own, and writes ours so."""

    def foreign(self, question: GoldQuestion, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the line of another system's answer."""
        ...

    def output_line(self, question: GoldQuestion, row: Mapping[str, Any]) -> str:
        """Return a line of ours in that form, which a run writes as outputs.jsonl."""
        ...


@runtime_checkable
class GivenItems(Foreign, Protocol):
    """A benchmark that gives the items of each question: method vanilla is shown them whole, and nothing is searched.

    The model's words are read as another system's output, in the form of the benchmark.
    """

    @property
    def INPUTS(self) -> tuple[str, ...]:  # noqa: N802
        """The names of its inputs (--input): items with their captions, which is the default, or by their names."""
        ...

    def message(self, question: GoldQuestion, picture: ItemPicture, *, captions: bool) -> tuple[str | Image.Image, ...]:
        """Return what the model is shown: the items, with their captions or by their names alone, and the question."""
        ...


@runtime_checkable
class Given(Task, Protocol):
    """A benchmark that also has answers written from given evidence, without a search (--input)."""

    @property
    def INPUTS(self) -> tuple[str, ...]:  # noqa: N802
        """The names of the inputs that it has besides what is retrieved."""
        ...

    def gold_pages(self, question: GoldQuestion) -> tuple[tuple[str, int], ...]:
        """Return the pages that have gold: the document's id, the page from 1."""
        ...


@runtime_checkable
class InlineBoxes(Given, Foreign, Protocol):
    """A benchmark whose paper shows page images to a model, which writes boxes into its answer (--inline)."""

    def inline_message(
        self, question: GoldQuestion, pages: Sequence[tuple[str, int]], draw: Picture
    ) -> tuple[str | Image.Image, ...]:
        """Return what the model is shown: the pages (document id, page from 1) as pictures, and the question.

        `draw` draws the whole of a page. The reply is read by `foreign`.
        """
        ...


@runtime_checkable
class DocumentBase(Task, Protocol):
    """A benchmark whose evidence are whole documents of a base: a model reads the best K of each query."""

    def in_base(self, question: GoldQuestion, base: str) -> tuple[str, ...]:
        """Return the ids of the documents of a base: `text`, `image` or `multi`, which is both."""
        ...

    def counts(self, question: GoldQuestion, predicted: Mapping[str, Any]) -> Mapping[str, int]:
        """Return how many documents a model was given, and how many of them it used, by modality."""
        ...
