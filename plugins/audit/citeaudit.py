"""`vouch eval citeaudit`: audit CiteAudit's citations, true and made up, and compare the verdicts with their labels.

A line is `{"source_type", "citation", "real": true or false, "published_system": true or false or null}`. The file as
published, `benchmark.json`, is read too: an object whose `data` are such lines, with the keys `GT` and `Predict`.

Closed: the records of all real citations, called complete. Open: a seeded half of them, not complete. The records are
read by the field parser that reads the citations, so the closed world is a floor: it asks if fakes are told from what
is there, and not if a real source prints a work as its citation does.

A reference that a system leaves open ("unknown") is counted apart: it is neither an alarm nor a reference passed.
Recall and F1 are of the references with a verdict, and once more of all fakes, where one left open was missed. The
paper has no third verdict: what no source confirms is fake, which `by_paper_rule` does.

--data is CiteAudit's `benchmark.json` as published, or a file of citations, a line each (`source_type`, `citation`,
`real`, and `published_system`: the verdict of the system that was published with them). Each is parsed into fields,
looked up and judged as `vouch audit` does.

The bibliography is made of the real citations of the file. --world closed: all of them, called complete; open: a
seeded half, not complete, so that "unknown" is an honest verdict and counts apart. As records and citations go through
one parser, the closed world is a floor and no result on real sources. Fake is the positive class; errors, questionable
and invented count as it. The tables also have recall and F1 over all fakes, those left open among them, and all figures
by the paper's own rule, which knows no "unknown" and calls it fake.

--out is a folder: predictions.jsonl in it has a line a citation and world.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evaluation import GoldUnreadable, positive, print_progress
from evaluation.harness import print_grid
from evaluation.metrics import interval_of, quantile
from evaluation.tasks import of, reason, rows_of, text_of
from plugins.audit.auditing import Record
from plugins.audit.auditing.judge import judge
from plugins.audit.auditing.sources import RecordIndex
from plugins.audit.references import BibliographicFields, Reference, fields_of

MOST_NAMED = 5
"""The most problems that are named where nothing can be read."""


@dataclass(frozen=True, slots=True)
class LabelledCitation:
    """A citation as it is printed, its set, its label, and the published system's own verdict (None without one).

    `number` counts the lines of the file from 1.
    """

    number: int
    set: str
    text: str
    real: bool
    published: bool | None


def read_citations(path: Path) -> tuple[list[LabelledCitation], list[str]]:
    """Return the citations, and what is wrong with lines left out. Raises GoldUnreadable."""
    text, _ = text_of(path)
    citations: list[LabelledCitation] = []
    problems: list[str] = []
    for number, (where, row) in enumerate(_labelled_rows(path, text), 1):
        try:
            label = row.get("published_system", row.get("Predict")) if isinstance(row, dict) else None
            citations.append(
                LabelledCitation(
                    number,
                    of(row, "source_type", str),
                    of(row, "citation", str),
                    of(row, "real", bool, "GT"),
                    label if isinstance(label, bool) else None,
                )
            )
        except ValueError as error:
            problems.append(f"{where}: {reason(error)}")
    if not citations:
        why = "\n  ".join(problems[:MOST_NAMED]) or "it is empty"
        raise GoldUnreadable(f"{path}: it contains no citation with a label that can be read:\n  {why}")
    if not any(citation.real for citation in citations):
        raise GoldUnreadable(
            f"{path}: it contains no real citation, so there is no bibliography to audit against: "
            "give a file with real citations"
        )
    return citations, problems


def _labelled_rows(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """Yield the place and the object of each citation, of a file of lines or of one object that holds them."""
    try:
        whole = json.loads(text) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):  # lines, of which the first is an object
        whole = None
    if isinstance(whole, dict) and isinstance(whole.get("data"), list):
        yield from ((f"{path.name}, entry {number}", row) for number, row in enumerate(whole["data"], 1))
    else:
        yield from rows_of(path, text)


WorldName = Literal["closed", "open"]
WORLDS: tuple[WorldName, ...] = ("closed", "open")


def world_of(name: WorldName, real: Mapping[int, BibliographicFields], seed: int, folder: Path) -> RecordIndex:
    """Return a world of the real citations, by the numbers of their lines; its index is made anew in a folder."""
    numbers = sorted(real)
    if name == "open":
        random.Random(seed).shuffle(numbers)  # noqa: S311
        numbers = sorted(numbers[: len(numbers) // 2])
    source = RecordIndex(folder / f"{name}.sqlite", make=True)
    source.fill(Record(real[n], name, str(n)) for n in numbers)
    source.complete = name != "open"
    return source


Said = Literal["fake", "real", "unknown"]
"""The verdict of a system, in the words of the measure."""
Row = Mapping[str, Any]
"""A line of a file of predictions: one citation in one world."""
HEAD = (
    "", "n", "fake", "F1", "95%", "precision", "recall", "accuracy", "recall, all fakes", "F1, all fakes",
    "false alarms", "95%", "open", "real as invented",
)  # fmt: skip
"""The columns. F1, recall and accuracy are of the references with a verdict, and once more of all fakes; "open" counts
those without one; the last is the share of real ones called invented.
"""
_CELLS = {
    (False, "fake"): "tp", (False, "real"): "fn", (True, "real"): "tn", (True, "fake"): "fp",
    (False, "unknown"): "open_fake", (True, "unknown"): "open_real",
}  # fmt: skip
"""The cells of the table of truth and verdict."""


def figures_of(pairs: Sequence[tuple[bool, Said]]) -> dict[str, Any]:
    """Return counts, shares and 95% bootstrap intervals for pairs of the truth (True is real) and a verdict.

    A share of nothing is None, and so is an interval of fewer than two references.
    """
    names = tuple(_CELLS.values())
    cells = np.array([[_CELLS[pair] == name for name in names] for pair in pairs], np.float64).reshape(-1, len(names))
    tp, fn, tn, fp, open_fake, open_real = (int(n) for n in cells.sum(axis=0))
    return {
        "n": len(pairs),
        **dict(zip(names, (tp, fn, tn, fp, open_fake, open_real), strict=True)),
        "f1": _ratio(2 * tp, 2 * tp + fp + fn),
        "precision": _ratio(tp, tp + fp),
        "recall": _ratio(tp, tp + fn),
        "accuracy": _ratio(tp + tn, tp + fn + tn + fp),
        "recall_of_all": _ratio(tp, tp + fn + open_fake),
        "f1_of_all": _ratio(2 * tp, 2 * tp + fp + fn + open_fake),
        "false_alarms": _ratio(fp, fp + tn + open_real),
        "citeaudit.f1_interval": interval_of(cells, _f1),
        "false_alarms_interval": interval_of(cells, _alarms),
    }


def _f1(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    double = 2 * sums[:, 0]
    return double / np.maximum(1, double + sums[:, 1] + sums[:, 3])


def _alarms(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return sums[:, 3] / np.maximum(1, sums[:, 2] + sums[:, 3] + sums[:, 5])


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def verdict_of(row: Row) -> Said:
    """Return Vouch's verdict in the words of the measure: errors, questionable and invented are fake."""
    status = row["status"]
    return status if status in ("unknown", "real") else "fake"


def by_paper_rule(row: Row) -> Said:
    """Return Vouch's verdict by the paper's rule: what it left open is fake."""
    return "real" if row["status"] == "real" else "fake"


def strictly(row: Row) -> Said:
    """Return the verdict of the paper's formula S_c: real only where some record has the same characters."""
    return "real" if row["strict"] else "fake"


def published_verdict_of(row: Row) -> Said:
    """Return the published system's verdict out of the same file."""
    return "unknown" if row["published"] is None else "real" if row["published"] else "fake"


_SYSTEMS: dict[str, Callable[[Row], Said]] = {
    "": verdict_of,
    ", unknown is fake": by_paper_rule,
    ", strict formula": strictly,
    ", published system": published_verdict_of,
}
"""The verdicts that are compared, by what a table adds to the name of a group."""


def groups_of(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the lines by group: all, and by set."""
    groups: dict[str, list[Row]] = {"all": list(rows)}
    for row in rows:
        groups.setdefault(row["set"], []).append(row)
    return groups


def world_table(rows: Sequence[Row]) -> list[list[str]]:
    """Return the table of one world: each group by Vouch, by its verdicts where unknown is fake, by the strict formula,
    and by the published system.
    """
    return [
        _line(f"{name}{label}", group, verdict)
        for name, group in groups_of(rows).items()
        for label, verdict in _SYSTEMS.items()
        if verdict is not published_verdict_of or any(row["published"] is not None for row in group)
    ]


def _line(name: str, rows: Sequence[Row], verdict: Callable[[Row], Said]) -> list[str]:
    figures = figures_of([(bool(row["real"]), verdict(row)) for row in rows])
    inventions = [row["status"] == "invented" for row in rows if row["real"]]
    shares = ("precision", "recall", "accuracy", "recall_of_all", "f1_of_all")
    return [
        name,
        str(figures["n"]),
        str(figures["tp"] + figures["fn"] + figures["open_fake"]),
        _share(figures["f1"]),
        _between(figures["citeaudit.f1_interval"]),
        *(_share(figures[share]) for share in shares),
        _percent(figures["false_alarms"]),
        _between(figures["false_alarms_interval"], 100),
        str(figures["open_fake"] + figures["open_real"]),
        _percent(sum(inventions) / len(inventions)) if verdict is verdict_of and inventions else "-",
    ]


def seconds(rows: Sequence[Row]) -> str:
    """Return the time of a reference in words: the middle one, and that of the slowest hundredth, in milliseconds."""
    times = [1000 * float(row["seconds"]) for row in rows]
    if not times:
        return "no references were audited"
    return f"{quantile(times, 0.5):.1f} ms a reference (99 of 100 within {quantile(times, 0.99):.1f} ms)"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}%"


def _between(bounds: tuple[float, float] | None, times: int = 1) -> str:
    digits = 1 if times > 1 else 3
    return "-" if bounds is None else f"{times * bounds[0]:.{digits}f} to {times * bounds[1]:.{digits}f}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("--data", type=Path, required=True, metavar="FILE", help="the file of citations, one per line")
    add("--out", type=Path, required=True, metavar="RUN", help="the folder of the run")
    add("--world", nargs="+", choices=WORLDS, default=list(WORLDS), help="the bibliographies (default: both)")
    add("--seed", type=int, default=17, help="the seed of the worlds (default: %(default)s)")
    add("--limit", type=positive, metavar="N", help="only the first N citations")
    add("--markdown", action="store_true", help="print the tables as Markdown")


def citeaudit(args: argparse.Namespace) -> int:
    """Audit the citations and print the tables; return 0. Raises GoldUnreadable."""
    everything, problems = read_citations(args.data)
    for problem in problems:
        print(f"left out: {problem}", file=sys.stderr)
    real = {c.number: fields_of(c.text) for c in everything if c.real}
    args.out.mkdir(parents=True, exist_ok=True)
    with (args.out / "predictions.jsonl").open("w", encoding="utf-8") as file:
        for name in args.world:
            with TemporaryDirectory(prefix="vouch-citeaudit-") as folder:
                world = world_of(name, real, args.seed, Path(folder))
                rows = list(_rows(world, everything[: args.limit]))
                world.close()
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            title = f"CiteAudit, {name} world: {seconds(rows)}"
            print_grid(title, HEAD, world_table(rows), markdown=args.markdown)
    return 0


def _rows(world: RecordIndex, citations: Sequence[LabelledCitation]) -> Iterator[dict[str, Any]]:
    """Yield the verdict on each citation as a line of predictions."""
    for number, citation in enumerate(citations, 1):
        yield _row(world, citation)
        if number % 50 == 0 or number == len(citations):
            print_progress(f"citeaudit, {world.name} world: citations", number, len(citations))
    print(file=sys.stderr)


def _row(world: RecordIndex, citation: LabelledCitation) -> dict[str, Any]:
    start = time.perf_counter()
    fields = fields_of(citation.text)
    entry = Reference(citation.number, citation.text, fields)
    verdict = judge(entry, [world.look_up(entry)])
    took = time.perf_counter() - start
    return {
        "number": citation.number,
        "world": world.name,
        "set": citation.set,
        "real": citation.real,
        "published": citation.published,
        "status": verdict.status,
        "reason": verdict.reason,
        "strict": verdict.strict and verdict.status == "real",
        "record": verdict.record.key if verdict.record else "",
        "fields": fields.to_json(),
        "seconds": round(took, 6),
    }
