"""`vouch eval compare A B`: the changes between two runs, figure by figure and question by question."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evaluation.errors import RunRefused
from evaluation.harness import OWN_WORDS, Results, print_grid, read_runs
from evaluation.metrics import PairedDifference, difference

WIDEST = 70
"""The most letters of a question or an answer that are shown."""


def compare(first: Path, second: Path, figure: str | None, limit: int) -> None:
    """Print the differences of B against A. Raises RunRefused where they share no question, or no such figure."""
    a, b = _only_run(first), _only_run(second)
    common = [qid for qid in a.rows if qid in b.rows]
    if a.summary["task"] != b.summary["task"] or not common:
        raise RunRefused(f"{first} and {second} have no questions in common: compare runs of the same task and data")
    names = [name for name in a.rows[common[0]].figures if name != "ms"]
    label = figure or _first_changed_figure(a, b, common)
    if label not in names:
        raise RunRefused(f"there is no figure {label!r} (there are: {', '.join(names)})")
    differences = {name: figure_difference(a, b, name) for name in names}
    print_grid(
        f"{b.name} compared with {a.name}, {len(common)} common questions, percent, 95% interval",
        ("figure", "A", "B", "B - A", "interval", "p", "n"),
        [_row(a, b, name, d) for name, d in differences.items() if d is not None],
        markdown=False,
    )
    if a.summary.get("judges") or b.summary.get("judges"):
        print(OWN_WORDS)
    old, new = a.values(label), b.values(label)
    changed_ids = sorted(
        (qid for qid in common if qid in old and qid in new and old[qid] != new[qid]),
        key=lambda qid: (new[qid] - old[qid], qid),
    )
    worse = [qid for qid in changed_ids if new[qid] < old[qid]]
    better = [qid for qid in reversed(changed_ids) if new[qid] > old[qid]]
    same = sum(1 for qid in common if qid in old and qid in new) - len(changed_ids)
    print(f"\n{label}: {len(better)} better, {len(worse)} worse, {same} the same")
    better, worse = better[:limit], worse[:limit]
    before, after = (run.predictions([*better, *worse]) for run in (a, b))
    for word, ids in (("better", better), ("worse", worse)):
        for qid in ids:
            print(f"\n{word}: {qid}  {100 * old[qid]:.0f} -> {100 * new[qid]:.0f}  {_shorten(a.rows[qid].question)}")
            print(f"  gold: {_shorten(str(a.rows[qid].gold['answer'])) or '(no answer)'}")
            print(f"  A:    {_shorten(str(before.get(qid, {}).get('answer', ''))) or '(abstains)'}")
            print(f"  B:    {_shorten(str(after.get(qid, {}).get('answer', ''))) or '(abstains)'}")


def figure_difference(a: Results, b: Results, figure: str) -> PairedDifference | None:
    """Return b - a of a figure on their common questions, with a bootstrap interval over documents; or None."""
    old, new = a.values(figure), b.values(figure)
    ids = [qid for qid in old if qid in new]
    return difference([old[q] for q in ids], [new[q] for q in ids], [a.rows[q].cluster for q in ids])


def _first_changed_figure(a: Results, b: Results, common: Sequence[str]) -> str:
    """Return the first figure of the task's table that changed for some question, else its first."""
    table = [name for name in a.task.TABLE if name in a.rows[common[0]].figures]
    for name in table:
        old, new = a.values(name), b.values(name)
        if any(old[qid] != new[qid] for qid in old if qid in new):
            return name
    return table[0]


def _row(a: Results, b: Results, name: str, difference: PairedDifference) -> tuple[str, ...]:
    """Return the table row of a figure: its mean in A and in B, the difference, its interval, p and n."""
    shared = [qid for qid in a.values(name) if qid in b.values(name)]
    old, new = (sum(r.values(name, shared).values()) / len(shared) for r in (a, b))
    return (
        name,
        f"{100 * old:.1f}",
        f"{100 * new:.1f}",
        f"{100 * difference.value:+.1f}",
        f"{100 * difference.low:+.1f} to {100 * difference.high:+.1f}",
        f"{difference.p:.3f}",
        str(difference.n),
    )


def _only_run(folder: Path) -> Results:
    """Return the run in a folder. Raises RunRefused if it contains none, or several."""
    runs = read_runs([folder])
    if len(runs) != 1:
        raise RunRefused(f"{folder}: holds {len(runs)} runs ({', '.join(r.name for r in runs)}): choose one of them")
    return runs[0]


def _shorten(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= WIDEST else plain[: WIDEST - 1] + "…"
