"""`vouch eval report`: runs as tables like those of the papers, with intervals, tests, plots and their failures."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluation.harness import OWN_WORDS, Judgements, Results, by_group, read_runs, run_files
from evaluation.metrics import agreement
from evaluation.report.compare import figure_difference
from evaluation.report.gallery import gallery
from evaluation.report.parts import Heading, Paragraph, Part, Picture, Table, curve_table, markdown, page, plots

MOST_REASONS = 50
INTRODUCTION = (
    "All figures are means over questions in percent. In brackets: the 95% interval by bootstrap over "
    "documents (1,000 draws). A dash: nothing to measure, or the figure needs a judge and none was used. p: "
    "permutation test of the paired differences. Names with a star are our string matches in place of a "
    "paper's judge, not the paper's own figure."
)


def write_report(paths: Sequence[Path], out: Path, title: str, failures: int, home: Path | None) -> None:
    """Write report.md and report.html, with their pictures, into `out`. Raises RunRefused for a path without a run."""
    runs = read_runs(paths)
    out.mkdir(parents=True, exist_ok=True)
    remark = [Paragraph(OWN_WORDS)] if any(run.summary.get("judges") for run in runs) else []
    parts: list[Part] = [Paragraph(INTRODUCTION), *remark, Heading("Runs"), _runs_table(runs)]
    for task in dict.fromkeys(run.summary["task"] for run in runs):
        of_task = [run for run in runs if run.summary["task"] == task]
        parts += _results(of_task)
        pictures = plots(of_task, out)
        parts += [Picture(file, caption) for file, caption in pictures.files]
        if pictures.missing:
            print(pictures.missing, file=sys.stderr)
            parts.append(Paragraph(pictures.missing))
    parts += [*_notes(runs), *_judges(runs), *_left_out(runs)]
    for run in runs:
        parts += gallery(run, out, failures, home)
    name = title or f"Evaluation of {', '.join(dict.fromkeys(run.summary['task'] for run in runs))}"
    for file, text in ((out / "report.md", markdown(name, parts)), (out / "report.html", page(name, parts))):
        file.write_text(text, encoding="utf-8")
        print(f"Written: {file}")


def figure_with_interval(run: Results, figure: str, among: Sequence[str] | None = None) -> str:
    """Return the mean of a figure over a run, or the questions `among`, with its interval; a dash without values."""
    estimate = run.estimate(figure, among)
    if estimate is None:
        return "–"
    mean, bounds = estimate
    return f"{mean:.1f}" + (f" [{bounds[0]:.1f}, {bounds[1]:.1f}]" if bounds else "")


def _runs_table(runs: Sequence[Results]) -> Table:
    rows = []
    for run in runs:
        s, rag = run.summary, run.summary["settings"]["rag"]
        judges = ", ".join(s.get("judges") or ()) or "none"
        counts = (str(s["questions"]), str(s["failed"]), str(s["left_out"]["questions"]))
        method = "inline boxes" if s.get("inline") else rag["method"]
        way = (s["mode"], method, rag["localizer"], str(rag["queries"]), str(rag["top_k"]))
        rows.append((run.name, s["task"], s["profile"], *way, judges, *counts, s["settings_hash"], s["date"][:10]))
    head = ("run", "task", "profile", "mode", "method", "localizer", "N", "K", "judge", "questions", "failed")
    return Table("What was run", (*head, "left out", "settings", "date"), tuple(rows))


def _results(runs: Sequence[Results]) -> Iterator[Part]:
    """Yield the paper's table, the same by group, all figures, latency, and tests of differences between the runs."""
    task = runs[0].task
    yield Heading(f"{task.NAME}: {task.SAYS}")
    yield Table(
        "The figures of the paper's main table" + (" (micro average)" if task.MACRO else ""),
        ("run", *task.TABLE, "n"),
        tuple(
            (run.name, *(figure_with_interval(run, name) for name in task.TABLE), str(len(run.rows))) for run in runs
        ),
    )
    if task.MACRO:
        averages = [(run.name, run.summary.get("macro", {})) for run in runs]
        rows = tuple(
            (name, *(f"{of[figure]:.1f}" if figure in of else "–" for figure in task.TABLE)) for name, of in averages
        )
        yield Table(f"Macro average over {task.MACRO}", ("run", *task.TABLE), rows)
    if within := getattr(task, "WITHIN", ""):
        yield _macro_within(runs, within)
    if curve := getattr(task, "CURVE", ()):
        yield from curve_table(runs, *curve)
    for grouping in task.GROUPINGS:
        yield from _by_group(runs, grouping)
    names = [n for n in dict.fromkeys(n for run in runs for n in run.names) if n != "ms"]
    yield Table(
        "All figures",
        ("figure", *(run.name for run in runs)),
        tuple((n, *(figure_with_interval(r, n) for r in runs)) for n in names),
    )
    if any(run.summary.get("counts") for run in runs):
        yield _counts(runs)
    yield _latency(runs)
    if len(runs) > 1:
        yield _tests(runs)
    if len(runs) > 2:
        yield _friedman(runs)


def _macro_within(runs: Sequence[Results], within: str) -> Table:
    """Return the macro averages of each run within each group of a grouping."""
    task = runs[0].task
    rows = tuple(
        (run.name, group, *(f"{of[figure]:.1f}" if figure in of else "–" for figure in task.TABLE))
        for run in runs
        for group, of in run.summary.get("macro_within", {}).items()
    )
    return Table(f"Macro average over {task.MACRO}, by {within}", ("run", within, *task.TABLE), rows)


def _by_group(runs: Sequence[Results], grouping: str) -> Iterator[Table]:
    """Yield for each run with several groups a table of the paper's figures by group."""
    for run in runs:
        members = by_group({qid: question.groups for qid, question in run.rows.items()}, grouping)
        if len(members) > 1:
            table = run.task.TABLE
            rows = tuple(
                (group, *(figure_with_interval(run, name, ids) for name in table), str(len(ids)))
                for group, ids in members.items()
            )
            yield Table(f"{run.name}, by {grouping}", (grouping, *table, "n"), rows)


def _counts(runs: Sequence[Results]) -> Table:
    """Return the mean numbers of documents that were given and used, by modality."""
    names = list(dict.fromkeys(name for run in runs for name in run.summary.get("counts", {})))
    rows = [
        (run.name, *(f"{counts[n]:.1f}" if n in counts else "–" for n in names))
        for run in runs
        for counts in (run.summary.get("counts", {}),)
    ]
    return Table("Documents per question, mean numbers", ("run", *names), tuple(rows))


def _latency(runs: Sequence[Results]) -> Table:
    rows = []
    for run in runs:
        figures = run.summary["figures"]["all"]
        cells = [f"{figures[name]['value']:.0f}" if name in figures else "–" for name in ("ms median", "ms p95")]
        rows.append((run.name, *cells))
    return Table("Latency per question in milliseconds", ("run", "median", "95th percentile"), tuple(rows))


def _tests(runs: Sequence[Results]) -> Table:
    """Compare every pair of runs in every figure of the paper's table."""
    rows = []
    for a, b in itertools.combinations(runs, 2):
        for name in a.task.TABLE:
            d = figure_difference(a, b, name)
            if d is not None:
                bounds = f"[{100 * d.low:+.1f}, {100 * d.high:+.1f}]"
                rows.append((f"{b.name} − {a.name}", name, f"{100 * d.value:+.1f} {bounds}", f"{d.p:.3f}", str(d.n)))
    return Table("Paired differences", ("runs", "figure", "difference", "p", "n"), tuple(rows))


def _friedman(runs: Sequence[Results]) -> Table:
    """Compare all runs at once in every figure of the paper's table, over the questions that all of them have."""
    rows = []
    for name in runs[0].task.TABLE:
        values = [run.values(name) for run in runs]
        common = [qid for qid in values[0] if all(qid in of for of in values)]
        statistic = agreement.friedman([[of[qid] for of in values] for qid in common])
        if statistic is not None:
            rows.append((name, f"{statistic[0]:.2f}", f"{statistic[1]:.3f}", str(len(common))))
    return Table("Friedman test over all runs", ("figure", "chi-square", "p", "n"), tuple(rows))


def _judges(runs: Sequence[Results]) -> Iterator[Part]:
    """Yield a table of how far judges agree, if a run has two or more."""
    rows: list[tuple[str, ...]] = []
    for run in runs:
        file = run_files(run.folder).judgements
        if file.is_file():
            rows += _agreement(run.name, Judgements(file))
    if rows:
        yield Heading("Agreement of judges")
        head = ("run", "judges", "rubric", "agreement", "kappa", "weighted kappa", "n")
        yield Table("Cohen's kappa, unweighted and with quadratic weights", head, tuple(rows))


def _agreement(name: str, judgements: Judgements) -> Iterator[tuple[str, ...]]:
    """Yield a row for every two judges and every kind of rubric that both judged."""
    scores: dict[str, dict[str, dict[tuple[str, str], float]]] = {}
    for (qid, key, judge, _), judgement in judgements.by_key.items():
        if judgement.score is not None:
            kind = scores.setdefault(key.partition(":")[0], {})
            kind.setdefault(judge, {})[qid, key] = judgement.score
    measures = (agreement.agreement, agreement.kappa, agreement.weighted_kappa)
    for rubric, by_judge in scores.items():
        for a, b in itertools.combinations(by_judge, 2):
            both = [case for case in by_judge[a] if case in by_judge[b]]
            first, second = ([by_judge[judge][case] for case in both] for judge in (a, b))
            values = [measure(first, second) for measure in measures]
            shares = ("–" if value is None else f"{value:.2f}" for value in values)
            yield name, f"{a}, {b}", rubric, *shares, str(len(both))


def _notes(runs: Sequence[Results]) -> Iterator[Part]:
    """Yield a table of the runs' notes, such as that a figure is a lower bound; nothing without notes."""
    rows = tuple((run.name, note) for run in runs for note in run.summary.get("notes", ()))
    if rows:
        yield Table("Notes on the figures", ("run", "note"), rows)


def _left_out(runs: Sequence[Results]) -> Iterator[Part]:
    """Yield a table of the reasons why data was left out; nothing without any."""
    reasons = list(dict.fromkeys(reason for run in runs for reason in run.summary["left_out"]["reasons"]))
    if reasons:
        yield Heading("Left out")
        more = f" (the first {MOST_REASONS})" if len(reasons) > MOST_REASONS else ""
        yield Table(
            f"{len(reasons)} problems of the data{more}", ("reason",), tuple((r,) for r in reasons[:MOST_REASONS])
        )
