"""The summary of a run: figures with their standard errors, as a table, as Markdown, and as a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evaluation import metrics
from evaluation.console import print_table

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
