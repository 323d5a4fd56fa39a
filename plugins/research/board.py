"""`vouch eval board FOLDER --out DIR`: the region benchmarks whose data is in a folder, ours beside published figures.

FOLDER has a folder for each data set as published: CiteVQA, BBox-DocVQA, MMDocIR. Each that is there is run with the
same profile, in DIR/TASK, where the same command continues; board.md and board.html then have a table for each, with
published rows, what was the same, and what was not. ViDoRe v3's boxes are not among them: how its paper matches the
boxes of several people was not available to us.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import evaluation
from evaluation import RunRefused, positive
from evaluation.harness import OWN_WORDS, Results, read_runs
from evaluation.report import Heading, Paragraph, Part, Table, markdown, page

TITLE = "Regions: Vouch beside published figures"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark of the board: the folders that its data may have, the figures and groups shown, published rows.

    `same` and `differs` say what is alike in our run and the published ones, and what is not.
    """

    task: str
    title: str
    folders: tuple[str, ...]
    figures: tuple[str, ...]
    published: tuple[tuple[str, tuple[str, ...]], ...]
    same: str
    differs: str
    groups: tuple[str, ...] = ("all",)


BOARD = (
    Benchmark(
        "citevqa",
        "CiteVQA (arXiv 2605.12882)",
        ("CiteVQA", "citevqa"),
        ("Rec", "Rel", "Ans", "SAA"),
        (
            ("Gemini-3.1-Pro-Preview", ("66.0", "83.6", "86.1", "76.0")),
            ("GPT-5.4", ("31.0", "67.5", "87.1", "59.0")),
            ("Qwen3-VL-235B-A22B, the best open one", ("11.3", "35.3", "72.3", "22.5")),
            ("Qwen3-VL-8B", ("1.0", "14.7", "61.2", "7.5")),
        ),
        "The questions, the crucial boxes, and the equations of Rec and SAA. Published rows: the project's own list.",
        "Those models are shown all pages and draw boxes; Vouch finds elements and cites them (vouch eval citevqa "
        "--inline asks as they did). Rel, Ans and SAA need a judge (--judge), and are blank without one.",
    ),
    Benchmark(
        "bbox-docvqa",
        "BBox-DocVQA (arXiv 2511.15090)",
        ("BBox-DocVQA", "BBox_DocVQA_Bench", "bbox-docvqa"),
        ("IoU@.5", "IoU", "IoU first"),
        (("ColQwen3-4B over the boxes of OCR, page given", ("59.7", "56.9", "–")),),
        "The questions and their boxes. IoU follows the scoring code that the benchmark publishes.",
        "The published row chooses among regions of the page that is given, by another group's code, which may score "
        "otherwise; Vouch answers, and cites what proves its answer. Several boxes on a page cost nothing in IoU: "
        "IoU first is of the first box alone.",
        ("setting: page given", "setting: page not given"),
    ),
    Benchmark(
        "mmdocir",
        "MMDocIR (arXiv 2501.08828)",
        ("MMDocIR", "mmdocir"),
        ("R@1", "R@3", "R@5", "layout R@1", "layout R@5", "layout R@10"),
        (),
        "The questions, pages and layouts, and the equations of both recalls.",
        "No published row is shown, as we had none at hand that we could check. Vouch ranks by text and, in mode "
        "multi, by what OCR reads off the pixels.",
    ),
)


def benchmarks_in(folder: Path) -> list[tuple[Benchmark, Path]]:
    """Return the benchmarks whose data is in a folder, each with its place. Raises RunRefused where there is none."""
    places = ((each, [folder / name for name in each.folders if (folder / name).is_dir()]) for each in BOARD)
    found = [(each, there[0]) for each, there in places if there]
    if not found:
        names = ", ".join(each.folders[0] for each in BOARD)
        raise RunRefused(f"{folder}: has none of the folders {names}: put the data sets there under these names")
    return found


def write_board(found: Sequence[tuple[Benchmark, Path]], out: Path) -> None:
    """Write board.md and board.html about the runs in `out`/TASK. Raises RunRefused for one that is not there."""
    runs = read_runs([out / each.task for each, _ in found])
    parts: list[Part] = []
    for (each, _), run in zip(found, runs, strict=True):
        parts += _parts(each, run)
    absent = [each.title for each in BOARD if each not in [there for there, _ in found]]
    parts += [Heading("Not there"), Paragraph(f"No data of: {'; '.join(absent)}.")] if absent else []
    for file, text in ((out / "board.md", markdown(TITLE, parts)), (out / "board.html", page(TITLE, parts))):
        file.write_text(text, encoding="utf-8")
        print(f"Written: {file}")


def _parts(each: Benchmark, run: Results) -> list[Part]:
    s, rows = run.summary, []
    for group in each.groups:
        figures = s["figures"].get(group, {})
        values = tuple(_value(figures[name]) if name in figures else "–" for name in each.figures)
        rows.append(("Vouch" + ("" if group == "all" else f", {group.partition(': ')[2]}"), *values))
    rag = s["settings"]["rag"]
    judges = f", judge {', '.join(s['judges'])}" if s["judges"] else ""
    how = (
        f"Ours: {s['questions']} questions, {s['documents']} documents, mode {s['mode']}, method {rag['method']}"
        f"{judges}, settings {s['settings_hash']}, {s['date'][:10]}; {s['left_out']['questions']} questions left out."
    )
    told = [Paragraph(OWN_WORDS)] if s["judges"] else []
    table = Table(
        "Percent, ours with standard errors", ("system", *each.figures), (*rows, *((n, *v) for n, v in each.published))
    )
    return [
        Heading(each.title),
        table,
        Paragraph(how),
        *told,
        Paragraph(f"The same: {each.same}"),
        Paragraph(f"Not the same: {each.differs}"),
    ]


def _value(figure: dict[str, float | None]) -> str:
    """Return a figure of a summary as it stands in a table: `41.2 ± 2.5`."""
    error = "" if figure["error"] is None else f" ± {figure['error']:.1f}"
    return f"{figure['value']:.1f}{error}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("folder", type=Path, metavar="FOLDER", help="the folder of the data sets")
    add("--out", type=Path, required=True, metavar="DIR", help="the folder for the runs, board.md and board.html")
    add("--profile", default="default", metavar="P", help="the profile: a name in configs/, or your own .yaml file")
    add("--judge", nargs="+", default=[], metavar="PROFILE", help="the profiles of the judges; the first one counts")
    add("--limit", type=positive, metavar="N", help="ask only the first N questions of each")
    add("--home", type=Path, metavar="DIR", help="the folder of the collections (default: the one that vouch uses)")


def run(asked: argparse.Namespace) -> int:
    """Run the benchmarks of a folder, each from where it was, and write the board; 130 when stopped by Ctrl-C."""
    found = benchmarks_in(asked.folder)
    more = [word for name in ("limit", "home") if (value := getattr(asked, name)) for word in (f"--{name}", str(value))]
    more += ["--judge", *asked.judge] if asked.judge else []
    for each, path in found:
        words = [each.task, "--data", str(path), "--out", str(asked.out / each.task), "--profile", asked.profile]
        if code := evaluation.main([*words, "--resume", *more]):
            return code
    write_board(found, asked.out)
    return 0
