"""The protocol of a benchmark, a module of `evaluation.tasks` or of a plugin; its rubrics; the benchmarks by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from evaluation.tasks.questions import Figures, Gold, GoldQuestion
from rag import Mode
from vouch.hooks import BenchmarkTask, additions, with_added

if TYPE_CHECKING:
    from PIL import Image


@dataclass(frozen=True, slots=True)
class PageRegion:
    """A piece of a page: the document's id, the page from 1, the box in fractions of the page."""

    document: str
    page: int
    bbox: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Rubric:
    """Something to be judged: under `key`, by the prompt `prompt` with its `values`, on the `scale` of scores.

    `regions` are shown as pictures to a judge that sees. With `pictured` the regions show more than the values say:
    a judge that is not shown every one of them could only guess. `image` is the file of a picture that is shown first,
    and without which nothing can be judged.
    """

    key: str
    prompt: str
    values: Mapping[str, str]
    scale: tuple[float, ...]
    regions: tuple[PageRegion, ...] = ()
    pictured: bool = False
    image: Path | None = None


Picture = Callable[[PageRegion], "Image.Image"]


ItemPicture = Callable[[str], "Image.Image"]
"""A function that returns the image of the item with this document id. Raises Unshowable."""


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
        self, question: GoldQuestion, predicted: Mapping[str, Any], grades: Mapping[str, float] | None = None
    ) -> Figures:
        """Return the figures of a question, from 0 to 1; None without gold, or if it needs a judge's missing score."""
        ...


@runtime_checkable
class SearchTask(Task, Protocol):
    """A benchmark of the search alone: it ranks documents for each question, and nothing answers."""

    @property
    def SEARCH_MODE(self) -> Mode:  # noqa: N802
        """The mode that is searched in if none is chosen."""
        ...

    def ranking(self, question: GoldQuestion, pages: Sequence[tuple[str, float]]) -> dict[str, Any]:
        """Return the keys of a prediction that hold the ranking. `pages` are (document id, score), best first."""
        ...


@runtime_checkable
class Judged(Task, Protocol):
    """A benchmark with figures that need a judge's scores."""

    def rubrics(self, question: GoldQuestion, predicted: Mapping[str, Any]) -> Sequence[Rubric]:
        """Return the rubrics by which a judge scores an answer; `figures` gets the scores by key, as `grades`."""
        ...


@runtime_checkable
class Foreign(Task, Protocol):
    """A benchmark with its own format for outputs: it reads those of other systems, and writes ours in it."""

    def foreign(self, question: GoldQuestion, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the prediction, in our format, of another system's output for a question."""
        ...

    def output_line(self, question: GoldQuestion, row: Mapping[str, Any]) -> str:
        """Return our prediction as a line in the benchmark's format, for outputs.jsonl."""
        ...


@runtime_checkable
class GivenItems(Foreign, Protocol):
    """A benchmark that gives the items of each question: method vanilla is shown all of them, without retrieval.

    The model's reply is parsed as another system's output, by `foreign`.
    """

    @property
    def INPUTS(self) -> tuple[str, ...]:  # noqa: N802
        """The names of its inputs (--input): items with their captions, which is the default, or by their names."""
        ...

    def message(self, question: GoldQuestion, picture: ItemPicture, *, captions: bool) -> tuple[str | Image.Image, ...]:
        """Return the message to the model: the items, with captions or with names alone, and the question."""
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
        """Return the message to the model: the pages (document id, page from 1) as images, and the question.

        `draw` returns the image of a page. The reply is parsed by `foreign`.
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


OWN = (
    BenchmarkTask("mmdocir", "evaluation.tasks.mmdocir"),
    BenchmarkTask("questions", "evaluation.tasks.own_questions"),
)


def _modules() -> dict[str, str]:
    """Return the module of each benchmark by name, our own first, then those of plugins."""
    return {task.name: task.module for task in with_added(OWN, additions("tasks"))}


class Registry(Mapping[str, Task]):
    """The benchmarks by name; a benchmark's module is imported when it is first looked up."""

    def __getitem__(self, name: str) -> Task:
        """Return the benchmark. Raises KeyError."""
        task: Task = import_module(_modules()[name])
        return task

    def __iter__(self) -> Iterator[str]:
        """Yield the names, our own first."""
        return iter(_modules())

    def __len__(self) -> int:
        """Return the number of benchmarks."""
        return len(_modules())


TASKS = Registry()
