"""The plots of a report. matplotlib draws them where it is installed (`pip install 'vouch[bench]'`); else none are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.resampling import interval
from evaluation.results import Results

MISSING = "No plots: matplotlib is not installed. pip install 'vouch[bench]' brings it."
LOOK = {"svg.hashsalt": "vouch", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
COLOURS = ("#2a6f97", "#e07a1f", "#4f8f3a", "#9a4c95", "#b8423a", "#6b6b6b")


@dataclass(frozen=True, slots=True)
class Drawn:
    """Files with their captions, or why there are none."""

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
    drawn: list[tuple[str, str]] = []

    def save(axes: Any, name: str, caption: str) -> None:
        file = folder / f"{task.NAME}-{name}.svg"
        axes.figure.savefig(file, bbox_inches="tight", metadata={"Date": None})
        plt.close(axes.figure)
        drawn.append((file.relative_to(out).as_posix(), caption))

    with mpl.rc_context(LOOK):
        save(_bars(plt, runs), "figures", f"{task.NAME}: the paper's figures with 95% intervals")
        recall = _curves(plt, runs)
        if recall is not None:
            save(recall, "recall", f"{task.NAME}: recall at k")
        for key, word in (("queries", "queries N"), ("top_k", "elements K")):
            swept = _sweep(plt, runs, key, word)
            if swept is not None:
                save(swept, key, f"{task.NAME}: {task.TABLE[0]} by number of {word}")
        if any(run.values("ms") for run in runs):
            save(_latencies(plt, runs), "latency", f"{task.NAME}: milliseconds a question")
    return Drawn(tuple(drawn))


def _mean(run: Results, name: str) -> tuple[float, float, float]:
    """Mean and its interval, in percent; zeros without a value."""
    values = run.values(name)
    if not values:
        return 0.0, 0.0, 0.0
    mean = sum(values.values()) / len(values)
    low, high = interval(list(values.values()), [run.scored[q].cluster for q in values]) or (mean, mean)
    return 100 * mean, 100 * low, 100 * high


def _bars(plt: Any, runs: Sequence[Results]) -> Any:
    names = [n for n in runs[0].task.TABLE if any(run.values(n) for run in runs)]
    _, axes = plt.subplots(figsize=(max(4.0, 1.1 * len(names) + 1), 3))
    width = 0.8 / len(runs)
    for number, run in enumerate(runs):
        at = [n + (number - (len(runs) - 1) / 2) * width for n in range(len(names))]
        found = [_mean(run, name) for name in names]
        errors = [[max(0.0, m - low) for m, low, _ in found], [max(0.0, high - m) for m, _, high in found]]
        axes.bar(at, [m for m, *_ in found], width, yerr=errors, label=run.name, color=COLOURS[number % len(COLOURS)])
    axes.set_xticks(range(len(names)), names, rotation=20, ha="right")
    axes.set_ylabel("percent")
    axes.legend(fontsize=7)
    return axes


def _curves(plt: Any, runs: Sequence[Results]) -> Any:
    """R@k over k; None where the task has no such figures."""
    names = [n for n in next(iter(runs[0].scored.values())).figures if n.startswith("R@")]
    if not names:
        return None
    _, axes = plt.subplots(figsize=(4, 3))
    for number, run in enumerate(runs):
        found = [_mean(run, name) for name in names]
        ks = [int(name.removeprefix("R@")) for name in names]
        colour = COLOURS[number % len(COLOURS)]
        axes.plot(ks, [m for m, *_ in found], marker="o", label=run.name, color=colour)
        axes.fill_between(ks, [low for _, low, _ in found], [high for *_, high in found], alpha=0.15, color=colour)
    axes.set_xlabel("k")
    axes.set_ylabel("page recall, percent")
    axes.legend(fontsize=7)
    return axes


def _sweep(plt: Any, runs: Sequence[Results], key: str, word: str) -> Any:
    """The first figure of the table over a setting; None where it was not swept over."""
    values = {run.summary["settings"]["rag"][key] for run in runs}
    if len(values) < 2:
        return None
    lines: dict[str, list[tuple[int, float]]] = {}
    for run in runs:
        settings = run.summary["settings"]["rag"]
        line = f"{run.summary['mode']} {settings['method']}"
        lines.setdefault(line, []).append((settings[key], _mean(run, run.task.TABLE[0])[0]))
    _, axes = plt.subplots(figsize=(4, 3))
    for number, (name, points) in enumerate(lines.items()):
        xs, ys = zip(*sorted(points), strict=True)
        axes.plot(xs, ys, marker="o", label=name, color=COLOURS[number % len(COLOURS)])
    axes.set_xlabel(word)
    axes.set_ylabel(f"{runs[0].task.TABLE[0]}, percent")
    axes.legend(fontsize=7)
    return axes


def _latencies(plt: Any, runs: Sequence[Results]) -> Any:
    _, axes = plt.subplots(figsize=(4, 0.5 + 0.5 * len(runs)))
    shown = [run for run in runs if run.values("ms")]
    axes.boxplot(
        [list(run.values("ms").values()) for run in shown],
        orientation="horizontal",
        tick_labels=[run.name for run in shown],
        showfliers=False,
    )
    axes.set_xlabel("milliseconds")
    return axes
