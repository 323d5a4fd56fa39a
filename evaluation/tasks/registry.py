"""The benchmarks by name: our own, and those that plugins add."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from evaluation.tasks.protocol import Task
from vouch.hooks import BenchmarkTask, additions, with_added

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
