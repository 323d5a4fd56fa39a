"""The parts of a report and their writing as Markdown and as HTML; plots by matplotlib, where that is installed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.harness import Results
from evaluation.rendering import render


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a section (level 2) or of a part of it (3)."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts under a caption; the first column names the rows."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """An image file, as a path relative to the report, and its caption."""

    file: str
    caption: str


Part = Heading | Paragraph | Table | Picture


def markdown(title: str, parts: Sequence[Part]) -> str:
    """Return the report as Markdown; markup in its texts is escaped."""
    return f"# {_plain(title)}\n\n" + "\n\n".join(_markdown(part) for part in parts) + "\n"


def page(title: str, parts: Sequence[Part]) -> str:
    """Return the report as an HTML document that loads nothing but its own pictures."""
    named_parts = [(type(part).__name__.lower(), part) for part in parts]
    return render("report/templates/page.html", title=title, parts=named_parts) + "\n"


def _markdown(part: Part) -> str:
    match part:
        case Heading(text, level):
            return f"{'#' * level} {_plain(text)}"
        case Paragraph(text):
            return _plain(text)
        case Picture(file, caption):
            return f"![{_plain(caption)}]({file})\n\n*{_plain(caption)}*"
        case Table(caption, head, rows):
            lines = [head, ("---", *("---:" for _ in head[1:])), *rows]
            table = "\n".join(f"| {' | '.join(_plain(cell) for cell in line)} |" for line in lines)
            return f"**{_plain(caption)}**\n\n{table}"


def _plain(text: str) -> str:
    """Return a text on one line with the characters escaped that Markdown would take for markup."""
    one_line = " ".join(text.split())
    for sign in ("\\", "`", "*", "_", "[", "]", "|"):
        one_line = one_line.replace(sign, "\\" + sign)
    return one_line.replace("<", "&lt;") if not set(one_line) <= {"-", ":"} else one_line


STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The upper ends of the groups by the figure on the horizontal axis, ends included: 0, a quarter, and so on."""


@dataclass(frozen=True, slots=True)
class Point:
    """The questions of one group: what is on the horizontal axis, and the mean of the figure with its interval."""

    name: str
    at: float
    mean: float
    interval: tuple[float, float] | None
    n: int

    def __str__(self) -> str:
        """Return the mean as a table prints it: `41.2 [30.0, 52.0]`."""
        return f"{self.mean:.1f}" + ("" if self.interval is None else " [{:.1f}, {:.1f}]".format(*self.interval))


def curve_of(run: Results, figure: str, against: str) -> list[Point]:
    """Return a point for each group of questions (STEPS of the figure `against`): its means of both, in percent."""
    values, where = run.values(figure), run.values(against)
    points = []
    for below, end in zip((-1.0, *STEPS), STEPS, strict=False):
        ids = [qid for qid in values if below < where.get(qid, -1.0) <= end]
        mean, at = run.estimate(figure, ids), run.estimate(against, ids)
        if mean is not None and at is not None:
            name = f"{100 * end:.0f}" if end == 0 else f"over {100 * below:.0f} to {100 * end:.0f}"
            points.append(Point(name, at[0], *mean, len(ids)))
    return points


def curve_table(runs: Sequence[Results], figure: str, against: str) -> Iterator[Table]:
    """Yield the curves of runs as a table, where some question has both figures."""
    rows = tuple((run.name, p.name, str(p), str(p.n)) for run in runs for p in curve_of(run, figure, against))
    if rows:
        yield Table(f"{figure} by {against}", ("run", against, figure, "n"), rows)


MISSING = "No plots, because matplotlib is not installed: pip install 'vouch[bench]'"
LOOK = {"svg.hashsalt": "vouch", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
COLOURS = ("#2a6f97", "#e07a1f", "#4f8f3a", "#9a4c95", "#b8423a", "#6b6b6b")


@dataclass(frozen=True, slots=True)
class Drawn:
    """The files with their captions, or why there are none."""

    files: tuple[tuple[str, str], ...]
    missing: str = ""


def plots(runs: Sequence[Results], out: Path) -> Drawn:
    """Draw the paper's figures side by side, recall at k, sweeps over N and K, and latencies, into `out`/plots."""
    try:
        import matplotlib as mpl
        from matplotlib import pyplot as plt
    except ImportError:
        return Drawn((), MISSING)
    mpl.use("Agg")
    folder, task = out / "plots", runs[0].task
    folder.mkdir(parents=True, exist_ok=True)
    pictures: list[tuple[str, str]] = []

    def save(axes: Any, name: str, caption: str) -> None:
        file = folder / f"{task.NAME}-{name}.svg"
        axes.figure.savefig(file, bbox_inches="tight", metadata={"Date": None})
        plt.close(axes.figure)
        pictures.append((file.relative_to(out).as_posix(), caption))

    with mpl.rc_context(LOOK):
        save(_bar_plot(plt, runs, task.TABLE), "figures", f"{task.NAME}: the paper's figures with 95% intervals")
        by_kind = [n for n in dict.fromkeys(n for run in runs for n in run.names) if n.endswith((" text", " image"))]
        if any(run.values(name) for run in runs for name in by_kind):
            save(_bar_plot(plt, runs, by_kind), "modalities", f"{task.NAME}: figures by modality with 95% intervals")
        curve_axes = getattr(task, "CURVE", ())
        if curve_axes and (curve := _curve_plot(plt, runs, *curve_axes)) is not None:
            save(curve, "curve", f"{task.NAME}: {curve_axes[0]} by {curve_axes[1]}")
        recall = _recall_plot(plt, runs)
        if recall is not None:
            save(recall, "recall", f"{task.NAME}: recall at k")
        for key, word in (("queries", "queries N"), ("top_k", "elements K")):
            plot = _sweep_plot(plt, runs, key, word)
            if plot is not None:
                save(plot, key, f"{task.NAME}: the paper's figures by number of {word}")
        if any(run.values("ms") for run in runs):
            save(_latency_plot(plt, runs), "latency", f"{task.NAME}: milliseconds per question")
    return Drawn(tuple(pictures))


def _mean(run: Results, name: str) -> tuple[float, float, float]:
    """Return (mean, low, high) of a figure in percent; nan without a value, which matplotlib does not draw."""
    mean, bounds = run.estimate(name) or (math.nan, None)
    return mean, *(bounds or (mean, mean))


def _bar_plot(plt: Any, runs: Sequence[Results], figures: Sequence[str]) -> Any:
    names = [n for n in figures if any(run.values(n) for run in runs)]
    _, axes = plt.subplots(figsize=(max(4.0, 1.1 * len(names) + 1), 3))
    width = 0.8 / len(runs)
    for number, run in enumerate(runs):
        at = [n + (number - (len(runs) - 1) / 2) * width for n in range(len(names))]
        means = [_mean(run, name) for name in names]
        errors = [[max(0.0, m - low) for m, low, _ in means], [max(0.0, high - m) for m, _, high in means]]
        axes.bar(at, [m for m, *_ in means], width, yerr=errors, label=run.name, color=COLOURS[number % len(COLOURS)])
    axes.set_xticks(range(len(names)), names, rotation=20, ha="right")
    axes.set_ylabel("percent")
    axes.legend(fontsize=7)
    return axes


def _recall_plot(plt: Any, runs: Sequence[Results]) -> Any:
    """Plot R@k over k; None where the task has no such figures."""
    names = [n for n in dict.fromkeys(n for run in runs for n in run.names) if n.startswith("R@")]
    if not names:
        return None
    _, axes = plt.subplots(figsize=(4, 3))
    for number, run in enumerate(runs):
        means = [_mean(run, name) for name in names]
        ks = [int(name.removeprefix("R@")) for name in names]
        colour = COLOURS[number % len(COLOURS)]
        axes.plot(ks, [m for m, *_ in means], marker="o", label=run.name, color=colour)
        axes.fill_between(ks, [low for _, low, _ in means], [high for *_, high in means], alpha=0.15, color=colour)
    axes.set_xlabel("k")
    axes.set_ylabel("page recall, percent")
    axes.legend(fontsize=7)
    return axes


def _curve_plot(plt: Any, runs: Sequence[Results], figure: str, against: str) -> Any:
    """Plot a figure against another one of the same questions; None where no question has both."""
    lines = [(run.name, curve) for run in runs if (curve := curve_of(run, figure, against))]
    if not lines:
        return None
    _, axes = plt.subplots(figsize=(4, 3))
    for number, (name, curve) in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        axes.plot([p.at for p in curve], [p.mean for p in curve], marker="o", label=name, color=colour)
    axes.set_xlabel(f"{against}, percent")
    axes.set_ylabel(f"{figure}, percent")
    axes.legend(fontsize=7)
    return axes


def _sweep_plot(plt: Any, runs: Sequence[Results], key: str, word: str) -> Any:
    """Plot the table's figures over a setting, a panel each; None where it was not swept, or nothing is known."""
    settings = [{"mode": run.summary["mode"], **run.summary["settings"]["rag"]} for run in runs]
    names = [n for n in runs[0].task.TABLE if any(run.values(n) for run in runs)]
    if len({each[key] for each in settings}) < 2 or not names:
        return None
    others = [k for k in ("mode", "method", "localizer", "queries", "top_k") if k != key]
    label_keys = [k for k in others if k in others[:2] or len({each[k] for each in settings}) > 1]
    _, panels = plt.subplots(1, len(names), figsize=(3.2 * len(names) + 1, 3), squeeze=False)
    for axes, figure in zip(panels[0], names, strict=True):
        lines: dict[str, list[tuple[int, float]]] = {}
        for run, each in zip(runs, settings, strict=True):
            line = lines.setdefault(" ".join(str(each[k]) for k in label_keys), [])
            line.append((each[key], _mean(run, figure)[0]))
        for number, (name, points) in enumerate(lines.items()):
            xs, ys = zip(*sorted(points), strict=True)
            axes.plot(xs, ys, marker="o", label=name, color=COLOURS[number % len(COLOURS)])
        axes.set_xlabel(word)
        axes.set_ylabel(f"{figure}, percent")
    panels[0][-1].legend(fontsize=7)
    return panels[0][0]


def _latency_plot(plt: Any, runs: Sequence[Results]) -> Any:
    _, axes = plt.subplots(figsize=(4, 0.5 + 0.5 * len(runs)))
    with_times = [run for run in runs if run.values("ms")]
    axes.boxplot(
        [list(run.values("ms").values()) for run in with_times],
        orientation="horizontal",
        tick_labels=[run.name for run in with_times],
        showfliers=False,
    )
    axes.set_xlabel("milliseconds")
    return axes
