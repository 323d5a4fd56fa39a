"""`vouch eval board FOLDER --out DIR`: the region benchmarks whose data is in a folder, ours beside published figures.

FOLDER has a folder for each data set as published: CiteVQA, BBox-DocVQA, MMDocIR, vidore_v3_hr and the others of ViDoRe
v3. Each that is there is run with the same profile, in a folder of DIR, where the same command continues; board.md and
board.html then have a table for each, with published rows, what was the same, and what was not.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import evaluation
from evaluation import RunRefused, positive
from evaluation.harness import OWN_WORDS, Figure, Results, read_runs
from evaluation.report import Heading, Paragraph, Part, Table, markdown, page

TITLE = "Regions: Vouch beside published figures"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark of the board: the folders that its data may have, the figures and groups shown, published rows.

    A folder with * is a pattern, whose every match is a data set of its own.

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
        (
            ("Col-Phi3, trained on its training set", ("57.1", "76.8", "83.0", "31.6", "54.5", "63.3")),
            ("the same, then ColBERT within its pages", ("57.1", "76.8", "83.0", "35.3", "58.8", "65.4")),
            ("ColPali", ("52.7", "75.0", "81.0", "32.5", "54.3", "63.2")),
            ("ColBERT over texts that GPT-4o wrote of images", ("44.9", "64.8", "72.3", "31.4", "56.0", "63.7")),
        ),
        "The questions, and the equations of both recalls. Published rows: tables 5, 6 and 9 of version 3, the micro "
        "average.",
        "Those systems rank the layouts of the data set, whose boxes they are given; Vouch ranks elements that it "
        "finds, by text and, in mode multi, by what OCR reads off the pixels.",
    ),
    Benchmark(
        "vidore-boxes",
        "ViDoRe v3, boxes (arXiv 2601.08620)",
        ("vidore_v3_*",),
        ("F1", "F1 marked"),
        (
            ("people, one against another", ("60.2", "–")),
            ("Qwen3-VL-30B-A3B-Instruct", ("8.9", "–")),
            ("Gemini 3 Pro", ("6.5", "–")),
        ),
        "The questions, what each person marked, and F1: all boxes of one person on a page are one zone, and of the "
        "people the one who agrees best counts. Published rows: section 4.3, the mean of all data sets.",
        "Those models answered in their own words about all pages that the people were shown, which are not published; "
        "Vouch quotes, and searches fewer (the pages given) or more (the pages not given). The paper does not say how "
        "pages are averaged: F1 counts 0 on a page that only the answer marked, F1 marked leaves such pages out.",
        ("setting: pages given", "setting: pages not given"),
    ),
)


def benchmarks_in(folder: Path) -> list[tuple[Benchmark, Path]]:
    """Return the benchmarks whose data is in a folder, each with the path of its data. Raises RunRefused for none."""
    results: list[tuple[Benchmark, Path]] = []
    for each in BOARD:
        paths = [path for name in each.folders for path in sorted(folder.glob(name)) if path.is_dir()]
        results += [(each, path) for path in (paths[:1] if paths and _run_name(each, paths[0]) == each.task else paths)]
    if not results:
        names = ", ".join(each.folders[0] for each in BOARD)
        raise RunRefused(f"{folder}: has none of the folders {names}: put the data sets there under these names")
    return results


def _run_name(each: Benchmark, path: Path) -> str:
    """Return the name of the folder of a run: of the task, or of the data set where a task has several."""
    return each.task if path.name in each.folders else path.name


def write_board(benchmarks: Sequence[tuple[Benchmark, Path]], out: Path) -> None:
    """Write board.md and board.html about the runs in `out`. Raises RunRefused if a run is missing."""
    names = [_run_name(each, path) for each, path in benchmarks]
    parts: list[Part] = []
    for (each, _), name, run in zip(benchmarks, names, read_runs([out / name for name in names]), strict=True):
        parts += _report_parts(each, each.title if name == each.task else f"{each.title}: {name}", run)
    absent = [each.title for each in BOARD if each not in [one for one, _ in benchmarks]]
    parts += [Heading("Not there"), Paragraph(f"No data of: {'; '.join(absent)}.")] if absent else []
    for file, text in ((out / "board.md", markdown(TITLE, parts)), (out / "board.html", page(TITLE, parts))):
        file.write_text(text, encoding="utf-8")
        print(f"Written: {file}")


def _report_parts(each: Benchmark, title: str, run: Results) -> list[Part]:
    """Return the part of the report on one benchmark: heading, table, settings, what is comparable."""
    s, rows = run.summary, []
    for group in each.groups:
        figures = s["figures"].get(group, {})
        values = tuple(str(Figure(**figures[name])) if name in figures else "–" for name in each.figures)
        rows.append(("Vouch" + ("" if group == "all" else f", {group.partition(': ')[2]}"), *values))
    rag = s["settings"]["rag"]
    judges = f", judge {', '.join(s['judges'])}" if s["judges"] else ""
    how = (
        f"Ours: {s['questions']} questions, {s['documents']} documents, mode {s['mode']}, method {rag['method']}"
        f"{judges}, settings {s['settings_hash']}, {s['date'][:10]}; {s['left_out']['questions']} questions left out."
    )
    notes = [Paragraph(OWN_WORDS)] if s["judges"] else []
    table = Table(
        "Percent, ours with standard errors", ("system", *each.figures), (*rows, *((n, *v) for n, v in each.published))
    )
    return [
        Heading(title),
        table,
        Paragraph(how),
        *notes,
        Paragraph(f"The same: {each.same}"),
        Paragraph(f"Not the same: {each.differs}"),
    ]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("folder", type=Path, metavar="FOLDER", help="the folder of the data sets")
    add("--out", type=Path, required=True, metavar="DIR", help="the folder for the runs, board.md and board.html")
    add("--profile", default="default", metavar="P", help="the profile: a name in configs/, or your own .yaml file")
    add("--judge", nargs="+", default=[], metavar="PROFILE", help="the profiles of the judges; the first one counts")
    add("--limit", type=positive, metavar="N", help="ask only the first N questions of each")
    add("--home", type=Path, metavar="DIR", help="the folder of the collections (default: the one that vouch uses)")


def run(args: argparse.Namespace) -> int:
    """Run the benchmarks of a folder, each from where it was, and write the board; 130 when stopped by Ctrl-C."""
    benchmarks = benchmarks_in(args.folder)
    more = [word for name in ("limit", "home") if (value := getattr(args, name)) for word in (f"--{name}", str(value))]
    more += ["--judge", *args.judge] if args.judge else []
    for each, path in benchmarks:
        out = args.out / _run_name(each, path)
        words = [each.task, "--data", str(path), "--out", str(out), "--profile", args.profile]
        if code := evaluation.main([*words, "--resume", *more]):
            return code
    write_board(benchmarks, args.out)
    return 0
