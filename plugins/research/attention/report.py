"""The report of `vouch eval attention`: shares by source, modality and layer, as tables and plots."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics import interval
from evaluation.report import COLOURS, LOOK, MISSING, Heading, Paragraph, Part, Picture, Table, markdown, page
from plugins.research.attention.shares import Shares, distribution, of_members, per_token

INTRODUCTION = (
    "Shares of the attention of the answer's tokens, averaged over heads, tokens and, in tables, layers; "
    "means over questions, in percent. In brackets: the 95% interval by bootstrap over questions. An item "
    "with many tokens draws attention by its length alone, so the figures per token divide its share by the "
    "number of its tokens. Chance: the share of gold items if all items had the same."
)
WHERE = ("gold items", "distractors", "names of items", "rest of the prompt", "answer so far")
Row = Mapping[str, Any]


def write_report(rows: Sequence[Row], out: Path, about: str, problems: Sequence[str]) -> None:
    """Write report.md and report.html, with their plots, into `out`."""
    parts: list[Part] = [Paragraph(f"{about}."), Paragraph(INTRODUCTION), *tables(rows)]
    drawn = plots(rows, out)
    parts += drawn or [Paragraph(MISSING)]
    if not drawn:
        print(MISSING, file=sys.stderr)
    if problems:
        parts += [Heading("Left out"), Table("What could not be used", ("reason",), tuple((p,) for p in problems))]
    for file, form in (("report.md", markdown), ("report.html", page)):
        (out / file).write_text(form("Attention to sources", parts), encoding="utf-8")
        print(f"Written: {out / file}")


def tables(rows: Sequence[Row]) -> Iterator[Table]:
    """Yield all tables."""
    named = [row for row in rows if row["naming"]]
    where = [[parts_of(row, key) for row in some] for key, some in (("all", rows), ("naming", named))]
    yield Table(
        "Where the answer's tokens look",
        ("share of attention", "all tokens", "tokens that name a source"),
        tuple(
            (name, *(_shown([float(v[n].mean()) for v in found]) for found in where)) for n, name in enumerate(WHERE)
        ),
    )
    yield Table(
        "Attention per token, as its distribution over the items",
        ("questions", "on gold items", "chance", "when a source is named", "n"),
        tuple(_focus(name, some) for name, some in groups(rows)),
    )
    yield Table(
        "Attention per token by modality, in thousandths",
        ("modality", "gold items", "distractors", "gold items, n", "distractors, n"),
        tuple(_of_kind(rows, kind) for kind in kinds(rows)),
    )


def groups(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Yield all questions, then those of every group of every grouping that has more than one."""
    yield "all", list(rows)
    for grouping in rows[0]["groups"] if rows else ():
        members: dict[str, list[Row]] = {}
        for row in rows:
            for group in row["groups"].get(grouping, ()):
                members.setdefault(f"{grouping}: {group}", []).append(row)
        if len(members) > 1:
            yield from members.items()


def kinds(rows: Sequence[Row]) -> list[str]:
    """Return the modalities of the items."""
    return list(dict.fromkeys(item["kind"] for row in rows for item in row["items"]))


def parts_of(row: Row, key: str) -> NDArray[np.float64]:
    """Return shares of WHERE by layer, (5, layers); they sum to 1."""
    found, gold = row[key], [item["gold"] for item in row["items"]]
    items, labels, prompt = (np.array(found[name], dtype=np.float64) for name in ("items", "labels", "prompt"))
    on_gold, on_others = of_members(items, gold), of_members(items, [not g for g in gold])
    on_labels = labels.sum(axis=1)
    return np.stack([on_gold, on_others, on_labels, prompt - on_gold - on_others - on_labels, 1 - prompt])


def normalised(row: Row, key: str = "all") -> Shares:
    """Return the attention per token of each item, (layers, items)."""
    return per_token(np.array(row[key]["items"], dtype=np.float64), [item["tokens"] for item in row["items"]])


def focus(row: Row, key: str = "all") -> float:
    """Return the gold items' part of all items' attention per token, averaged over layers."""
    return float(of_members(distribution(normalised(row, key)), [item["gold"] for item in row["items"]]).mean())


def of_kind(rows: Sequence[Row], kind: str, *, gold: bool) -> NDArray[np.float64]:
    """Return the attention per token of a modality's gold items (or distractors): (items of all questions, layers)."""
    found = [
        normalised(row)[:, n]
        for row in rows
        for n, item in enumerate(row["items"])
        if item["kind"] == kind and item["gold"] is gold
    ]
    return np.array(found, dtype=np.float64)


def _focus(name: str, rows: Sequence[Row]) -> tuple[str, ...]:
    chance = [sum(item["gold"] for item in row["items"]) / len(row["items"]) for row in rows]
    named = [focus(row, "naming") for row in rows if row["naming"]]
    return name, _shown([focus(row) for row in rows]), f"{100 * np.mean(chance):.1f}", _shown(named), str(len(rows))


def _of_kind(rows: Sequence[Row], kind: str) -> tuple[str, ...]:
    both = [of_kind(rows, kind, gold=gold) for gold in (True, False)]
    means = [_shown([float(v) for v in found.mean(axis=1)], 1000, 3) if len(found) else "–" for found in both]
    return kind, *means, *(str(len(found)) for found in both)


def _shown(values: Sequence[float], times: float = 100, digits: int = 1) -> str:
    """Return a mean with its interval; a dash without a value."""
    if not values:
        return "–"
    bounds = interval(values)
    mean = f"{times * np.mean(values):.{digits}f}"
    return mean if bounds is None else f"{mean} [{times * bounds[0]:.{digits}f}, {times * bounds[1]:.{digits}f}]"


# ---- plots ---------------------------------------------------------------------------------------------------------


def plots(rows: Sequence[Row], out: Path) -> list[Part]:
    """Plot attention per token by layer, of gold items and distractors, and by modality; none without matplotlib."""
    try:
        import matplotlib as mpl
        from matplotlib import pyplot as plt
    except ImportError:
        return []
    mpl.use("Agg")
    (out / "plots").mkdir(parents=True, exist_ok=True)
    by_part = dict(zip(WHERE, np.mean([parts_of(row, "all") for row in rows], axis=0), strict=True))
    modalities = {
        f"{kind}, {name}": found.mean(axis=0)
        for kind in kinds(rows)
        for name, gold in (("gold", True), ("distractors", False))
        if len(found := of_kind(rows, kind, gold=gold))
    }
    drawn: list[Part] = []
    with mpl.rc_context(LOOK):
        for file, caption, lines, times, unit in (
            ("layers", "Where the answer's tokens look, by layer", by_part, 100, "percent"),
            ("modalities", "Attention per token by modality and layer", modalities, 1000, "thousandths a token"),
        ):
            _, axes = plt.subplots(figsize=(5, 3))
            for number, (name, values) in enumerate(lines.items()):
                layers, colour = range(1, len(values) + 1), COLOURS[number % len(COLOURS)]
                axes.plot(layers, times * values, marker=".", label=name, color=colour)
            axes.set_xlabel("layer")
            axes.xaxis.get_major_locator().set_params(integer=True)
            axes.set_ylabel(unit)
            axes.legend(fontsize=7)
            axes.figure.savefig(out / "plots" / f"{file}.svg", bbox_inches="tight", metadata={"Date": None})
            plt.close(axes.figure)
            drawn.append(Picture(f"plots/{file}.svg", caption))
    return drawn
