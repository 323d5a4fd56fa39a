"""The results of a run: its summary, with figures and their standard errors, written, and read back from its folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evaluation import metrics
from evaluation.console import print_table
from evaluation.errors import RunRefused
from evaluation.harness.plan import run_files
from evaluation.metrics import interval, mean
from evaluation.tasks import TASKS, Task
from vouch.hooks import left_out_advice

LATENCY = {"ms median": 0.5, "ms p95": 0.95}


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure over `n` questions, with its standard error (None for a single question): percent, or milliseconds."""

    value: float
    error: float | None
    n: int

    def __str__(self) -> str:
        """Return the figure as a table prints it: `41.2 ± 2.5`."""
        return f"{self.value:.1f}" + ("" if self.error is None else f" ± {self.error:.1f}")


def summarise(rows: Sequence[Mapping[str, float | None]]) -> dict[str, Figure]:
    """Return every figure's mean in percent, and median and 95th percentile of `ms`; empty figures are left out."""
    figures: dict[str, Figure] = {}
    for name in rows[0] if rows else ():
        values = [value for row in rows if (value := row[name]) is not None]
        if not values:
            continue
        if name == "ms":
            for quantile, share in LATENCY.items():
                error = metrics.quantile_error(values, share)
                figures[quantile] = Figure(metrics.quantile(values, share), error, len(values))
        else:
            percent = [100 * value for value in values]
            figures[name] = Figure(metrics.mean(percent), metrics.standard_error(percent), len(values))
    return figures


def by_group(groups: Mapping[str, Mapping[str, Sequence[str]]], grouping: str) -> dict[str, list[str]]:
    """Return the question ids of each group of a grouping, largest group first; `groups` has each question's groups.

    A question is in each of its groups.
    """
    members: dict[str, list[str]] = {}
    for qid, of_question in groups.items():
        for group in of_question.get(grouping, ()):
            members.setdefault(group, []).append(qid)
    return dict(sorted(members.items(), key=lambda item: (-len(item[1]), item[0])))


def print_figures(title: str, columns: Mapping[str, Mapping[str, Figure]], *, markdown: bool = False) -> None:
    """Print a table with a row per figure and a column per run or group, the number of questions in the first row."""
    names = list(dict.fromkeys(name for figures in columns.values() for name in figures))
    counts = {name: max((f.n for f in figures.values()), default=0) for name, figures in columns.items()}
    body = [["questions", *(str(n) for n in counts.values())]]
    body += [[name, *(str(figures.get(name, "-")) for figures in columns.values())] for name in names]
    print_grid(title, ["%", *columns], body, markdown=markdown)


def print_grid(title: str, head: Sequence[str], body: Sequence[Sequence[str]], *, markdown: bool) -> None:
    """Print a table of texts, drawn or as Markdown."""
    if not markdown:
        print_table(title, head, body)
        return
    print(f"\n{title}\n")
    for row in (head, ["---", *("---:" for _ in head[1:])], *body):
        print(f"| {' | '.join(row)} |")


def write_summary(path: Path, about: Mapping[str, Any], groups: Mapping[str, Mapping[str, Figure]]) -> None:
    """Write the run's description and its figures by group as JSON; an earlier file is replaced atomically."""
    figures = {group: {name: asdict(f) for name, f in metrics.items()} for group, metrics in groups.items()}
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps({**about, "figures": figures}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(path)


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """A question of a run with its figures: shares from 0 to 1, and milliseconds."""

    qid: str
    question: str
    groups: Mapping[str, Sequence[str]]
    gold: Mapping[str, Any]
    figures: Mapping[str, float | None]

    @property
    def cluster(self) -> str:
        """The key of the questions that are resampled together: the ids of its documents, else its own id."""
        return " ".join(self.gold["documents"]) or self.qid


@dataclass(frozen=True, slots=True)
class Results:
    """A run: its summary, and its questions by id."""

    name: str
    folder: Path
    summary: Mapping[str, Any]
    rows: Mapping[str, ScoredQuestion]

    @property
    def task(self) -> Task:
        """Its benchmark."""
        return TASKS[self.summary["task"]]

    def values(self, figure: str, among: Sequence[str] | None = None) -> dict[str, float]:
        """Return a figure by question, where it has one."""
        ids = self.rows if among is None else among
        return {qid: v for qid in ids if (v := self.rows[qid].figures.get(figure)) is not None}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its figures; none where no question was asked yet."""
        return tuple(next(iter(self.rows.values())).figures) if self.rows else ()

    def estimate(
        self, figure: str, among: Sequence[str] | None = None
    ) -> tuple[float, tuple[float, float] | None] | None:
        """Return a figure's mean in percent, and its interval where there is one; None where no question has it."""
        values = self.values(figure, among)
        if not values:
            return None
        bounds = interval([*values.values()], [self.rows[qid].cluster for qid in values])
        return 100 * mean([*values.values()]), bounds and (100 * bounds[0], 100 * bounds[1])

    def predictions(self, qids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the predictions of these questions by id, read from the run's file."""
        rows: dict[str, dict[str, Any]] = {}
        ids = set(qids)
        with run_files(self.folder).predictions.open(encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                if row["qid"] in ids:
                    rows[row["qid"]] = row
        return rows


def read_runs(paths: Sequence[Path]) -> tuple[Results, ...]:
    """Read the runs in these folders, or in their direct subfolders. Raises RunRefused for a path without a run.

    Runs are named by their folders, as much of the path as it takes to tell them apart.
    """
    folders: list[Path] = []
    for path in paths:
        inside = [path] if _is_run(path) else sorted(p for p in path.glob("*") if _is_run(p))
        if not inside:
            raise RunRefused(f"{path}: it contains no run: give the folder that vouch eval wrote (--out)")
        folders += inside
    unique = list(dict.fromkeys(folder.resolve() for folder in folders))
    return tuple(_read(folder, name) for folder, name in zip(unique, _names(unique), strict=True))


def _is_run(folder: Path) -> bool:
    files = run_files(folder)
    return files.summary.is_file() and files.scores.is_file()


def _names(folders: Sequence[Path]) -> list[str]:
    """Return the shortest endings of the folders' paths, in whole parts, that are all different."""
    for depth in range(1, 9):
        names = ["/".join(folder.parts[-depth:]) for folder in folders]
        if len(set(names)) == len(names):
            return names
    return [str(folder) for folder in folders]


def _read(folder: Path, name: str) -> Results:
    """Return the results in a run folder. Raises RunRefused if its summary or scores cannot be read."""
    files = run_files(folder)
    try:
        summary = json.loads(files.summary.read_text(encoding="utf-8"))
        lines = files.scores.read_bytes().splitlines()  # of a str it would split at U+2028 and U+0085 too
        questions = {row["qid"]: ScoredQuestion(**row) for row in map(json.loads, lines)}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunRefused(f"{folder}: cannot be read as a run ({error}): run it again with --resume") from None
    if summary.get("task") not in TASKS:
        note = f"{folder}: its task {summary.get('task')!r} is not one of {', '.join(TASKS)}"
        raise RunRefused("; ".join(filter(None, (note, left_out_advice()))))
    return Results(name, folder, summary, questions)
