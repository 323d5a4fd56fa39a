"""The command `vouch eval`: run a benchmark, report runs, compare two of them, and what plugins add to it."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import get_args

from configs import CommandParser, embedders, methods
from evaluation.console import positive
from evaluation.errors import GoldUnreadable, RunRefused
from evaluation.harness import (
    BASES,
    INPUTS,
    INTERRUPTED,
    RETRIEVED,
    Figure,
    Plan,
    default_modes,
    folders,
    measure,
    model_of,
    print_figures,
    read_runs,
    variants_of,
)
from evaluation.report import people
from evaluation.tasks import TASKS, DocumentBase, Given, GivenItems, InlineBoxes, Judged, SearchTask, Task
from indexing import IndexingError, IndexingSettings, default_home
from rag import Mode, RagError, RagSettings, load_profile
from vouch.hooks import Command, additions, load, names

LEAST_PIXELS, MOST_PIXELS = 256, 4096
"""The bounds of `writing.page_width` and `writing.page_side`, the narrowest of the sizes that --resolution sets."""
LOCALIZERS = get_args(RagSettings.model_fields["localizer"].annotation)
OWN_EMBEDDER = "ocr_regions"
LOADED = tuple(sorted({*names(embedders("visual"))} - {OWN_EMBEDDER}))
"""The visual embedders that are models with a checkpoint."""

_SAYS = "Measure Vouch or another system on a benchmark, write reports, and compare runs."
_EXAMPLES = """\
examples:
  vouch eval questions --data samples --out runs/samples --mode text image multi
  vouch eval mmdocir --data MMDocIR --out runs/mmdocir --limit 200
  vouch eval citevqa --data CiteVQA --profile mine.yaml --method vanilla cot --judge judge.yaml --out runs/citevqa
  vouch eval citevqa --data CiteVQA --profile mine.yaml --inline --judge judge.yaml --out runs/inline
  vouch eval citevqa --data CiteVQA --predictions other-system.json --out runs/other
  vouch eval vidore --data vidore_v3_hr --visual ocr_regions colpali --checkpoint vidore/colqwen2-v1.0 --out runs/two
  vouch eval mcitebench --data MCiteBench --profile mine.yaml --method vanilla --judge judge.yaml --out runs/mcite
  vouch eval citeaudit --data citeaudit.jsonl --out runs/citeaudit
  vouch eval report runs/citevqa --out report
  vouch eval compare runs/citevqa/multi-vanilla runs/citevqa/multi-cot
  vouch eval agreement runs/mavis --people scores.csv

mine.yaml and judge.yaml are profiles that name a model: copies of configs/openai-compatible.yaml.
A run is a folder: predictions.jsonl, scores.jsonl, judgements.jsonl, summary.json; with several modes, methods or
settings, one such folder for each. Ctrl-C leaves complete lines, and --resume continues after them.
Most benchmarks of papers come with the plugin research; VOUCH_PLUGINS chooses among the plugins that are installed.
exit code: 0 every question was asked, 2 nothing could be run or a judge is unavailable, 130 stopped
"""


def options() -> CommandParser:
    """Return the command line's parser."""
    parser = CommandParser(prog="vouch eval", description=_SAYS)
    commands = parser.add_subparsers(dest="what", metavar="TASK", required=True, title="tasks and commands")
    for name, task in TASKS.items():
        run = commands.add_parser(name, help=task.SAYS)
        run.description = task.__doc__
        _add_run(run)
        (_add_embedder if isinstance(task, SearchTask) else _add_answering)(run)
    report = commands.add_parser("report", help="write the tables, plots and failures of runs as Markdown and HTML")
    add = report.add_argument
    add("runs", nargs="+", type=Path, metavar="RUN", help="the folders of runs, or folders that contain them")
    add("--out", type=Path, required=True, metavar="DIR", help="the folder for report.md and report.html")
    add("--title", default="", help="the title of the report")
    add("--failures", type=int, default=12, metavar="N", help="the most failures to show")
    add("--home", type=Path, metavar="DIR", help="the folder of the collections, for images of their pages")
    agreeing = commands.add_parser("agreement", help="measure how far the judge of a run agrees with people")
    agreeing.description = people.__doc__
    people.add_options(agreeing)
    compare = commands.add_parser("compare", help="list the changes between two runs, question by question")
    add = compare.add_argument
    add("a", type=Path, metavar="A", help="the folder of a run")
    add("b", type=Path, metavar="B", help="the folder of another run")
    add("--figure", metavar="NAME", help="the figure to compare (default: the first of the task)")
    add("--limit", type=positive, default=20, metavar="N", help="the most questions to list in each direction")
    _add_from_plugins(commands, "eval")
    if _from_plugins("construct"):
        making = commands.add_parser("construct", help="make data in the format of a benchmark from your own documents")
        forms = making.add_subparsers(dest="form", metavar="FORMAT", required=True, title="formats")
        _add_from_plugins(forms, "construct")
    parser.epilog = "".join(
        line
        for line in _EXAMPLES.splitlines(keepends=True)
        if not line.startswith("  vouch eval ") or line.split()[2] in commands.choices
    )
    return parser


def _from_plugins(group: str) -> list[Command]:
    """Return the commands that plugins add to a group, `eval` or `construct`."""
    return [command for command in additions("commands") if command.group == group]


def _add_from_plugins(commands: argparse._SubParsersAction[CommandParser], group: str) -> None:
    """Add a parser for each command that plugins add to a group."""
    for command in _from_plugins(group):
        parser = commands.add_parser(command.name, help=command.summary, epilog=command.examples or None)
        parser.description = sys.modules[load(command.options).__module__].__doc__
        load(command.options)(parser)
        parser.set_defaults(run=command.run)


def _add_run(parser: argparse.ArgumentParser) -> None:
    """Add the options that every benchmark task has."""
    add = parser.add_argument
    several = partial(add, nargs="+", default=[])
    add("--data", type=Path, required=True, metavar="PATH", help="the data set: its folder, or its file of questions")
    add("--documents", type=Path, metavar="DIR", help="the folder of its documents (default: next to the data)")
    add("--out", type=Path, required=True, metavar="RUN", help="the folder of the run")
    add("--profile", default="default", metavar="P", help="the profile: a name in configs/, or your own .yaml file")
    several("--mode", choices=get_args(Mode), help="the search modes (default: the profile's; vidore: image)")
    several("--queries", type=positive, metavar="N", help="the most queries made of a question")
    add("--predictions", type=Path, metavar="FILE", help="score another system's outputs in this file, ask nothing")
    add("--limit", type=positive, metavar="N", help="ask only the first N questions")
    add("--parallel", type=positive, metavar="N", help="how many to ask at once (default: as many as the model allows)")
    add("--resume", action="store_true", help="continue the run in --out")
    add("--home", type=Path, metavar="DIR", help="the folder of the collections (default: the one that vouch uses)")
    add("--collection", metavar="NAME", help="the collection that holds the documents (default: eval-TASK)")
    several("--by", metavar="GROUPING", help="also print a table for each of these groupings")
    add("--markdown", action="store_true", help="print the tables as Markdown")


def _add_embedder(parser: argparse.ArgumentParser) -> None:
    """Add the options of search tasks: the visual embedder; options that only answering tasks have get empty values."""
    add = parser.add_argument
    choices = (OWN_EMBEDDER, *LOADED)
    add("--visual", nargs="+", choices=choices, default=[], help="the visual embedder (default: the profile's), or "
        "several to measure one after the other")  # fmt: skip
    add("--checkpoint", metavar="C", help="its weights: a folder, or owner/name on the Hugging Face hub")
    add("--device", metavar="D", help="the device of the visual embedder: cuda or cpu (default: the GPU, if any)")
    others = ("judge", "localizer", "top_k", "input", "base", "texts", "resolution")
    nothing: dict[str, list[str]] = {name: [] for name in others}
    parser.set_defaults(**nothing, method=["quote"], scope=None, limit_docs=None, inline=False)


def _add_answering(parser: argparse.ArgumentParser) -> None:
    """Add the options of answering tasks; most take several values, and each combination of values is a variant."""
    add = parser.add_argument
    several = partial(add, nargs="+", default=[])
    several("--method", choices=names(methods()), help="the answering methods (default: the profile's)")
    several("--localizer", choices=LOCALIZERS, help="what draws the boxes of citations (default: the profile's)")
    several("--top-k", type=positive, metavar="K", help="how many elements to retrieve as evidence (mavis: documents)")
    several("--input", choices=INPUTS, help="the evidence that a model is shown (default: what is retrieved; "
            "mcitebench: items)")  # fmt: skip
    add("--inline", action="store_true", help="show the model page images and have it write boxes into its answer, as "
        "the paper does (citevqa)")  # fmt: skip
    several("--base", choices=BASES, help="the kinds of documents to search (mavis; default: multi)")
    several("--texts", type=int, metavar="N", help="the number of texts added to --base image (mavis)")
    several("--resolution", type=positive, metavar="PX", help="the width of rendered pages, and the longer side of a "
            "page and of a picture that a model is shown (256 to 4096 pixels)")  # fmt: skip
    add("--scope", choices=["document", "collection"], help="search the question's document or the whole collection "
        "(default: as the benchmark does)")  # fmt: skip
    several("--judge", metavar="PROFILE", help="the profiles of the judges; the first one counts")
    add("--limit-docs", type=positive, metavar="N", help="ask only about the N smallest documents")
    parser.set_defaults(visual=[], checkpoint=None, device=None)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, 130 after Ctrl-C, or 2 if nothing could be run or a judge is unavailable."""
    args = options().parse_args(argv)
    try:
        if args.what == "report":
            from evaluation.report import write_report

            write_report(args.runs, args.out, args.title, args.failures, args.home)
            return 0
        if args.what == "compare":
            from evaluation.report import compare

            compare(args.a, args.b, args.figure, args.limit)
            return 0
        if "run" in args:
            code: int = load(args.run)(args)
            return code
        return people.agreement(args) if args.what == "agreement" else _run_bench(args)
    except (GoldUnreadable, RunRefused, IndexingError, RagError) as error:
        print(f"vouch eval: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


def _run_bench(args: argparse.Namespace) -> int:
    """Run a benchmark and return the exit code; of several visual embedders, run each in a folder and compare them."""
    embedders = list(dict.fromkeys(args.visual))
    if len(embedders) < 2:
        return measure(plan_of(args))
    run_folders = [args.out / name for name in embedders]
    for name, folder in zip(embedders, run_folders, strict=True):
        changes = {"visual": [name], "out": folder, "checkpoint": args.checkpoint if name in LOADED else None}
        if code := measure(plan_of(argparse.Namespace(**(vars(args) | changes)))):
            return code
    columns = {
        run.name: {name: Figure(**figure) for name, figure in run.summary["figures"]["all"].items()}
        for run in read_runs(run_folders)
    }
    print_figures("visual embedders", columns, markdown=args.markdown)
    return 0


def _check_inputs(task: Task, args: argparse.Namespace) -> None:
    """Raise RunRefused for an --input, --base or --texts that the task lacks, or a --resolution out of bounds."""
    inputs = (RETRIEVED, *(task.INPUTS if isinstance(task, Given | GivenItems) else ()))
    unknown_names = [name for name in args.input if name not in inputs]
    if unknown_names:
        raise RunRefused(f"task {task.NAME} has no --input {unknown_names[0]} (it has: {', '.join(inputs)})")
    if any(n < 0 for n in args.texts):
        raise RunRefused(f"--texts {min(args.texts)} is below 0")
    if (args.base or args.texts) and not isinstance(task, DocumentBase):
        raise RunRefused(f"task {task.NAME} has no base of texts and images: leave out --base and --texts")
    wrong = [px for px in args.resolution if not LEAST_PIXELS <= px <= MOST_PIXELS]
    if wrong:
        raise RunRefused(f"--resolution {wrong[0]} is not between {LEAST_PIXELS} and {MOST_PIXELS} pixels")


def _apply_inline(task: Task, args: argparse.Namespace) -> argparse.Namespace:
    """Return the arguments with the method, input and mode that --inline implies. Raises RunRefused on a conflict."""
    if not args.inline:
        return args
    if not isinstance(task, InlineBoxes):
        raise RunRefused(f"task {task.NAME} does not ask for boxes in the answer: leave out --inline")
    if args.method or args.localizer or RETRIEVED in args.input:
        wrong = "--method" if args.method else "--localizer" if args.localizer else f"--input {RETRIEVED}"
        raise RunRefused(f"--inline shows whole pages and has the model draw the boxes: leave out {wrong}")
    values = {"method": ["vanilla"], "input": args.input or list(task.INPUTS[:1]), "mode": args.mode or ["text"]}
    return argparse.Namespace(**(vars(args) | values))


def _with_embedder(settings: IndexingSettings, args: argparse.Namespace) -> IndexingSettings:
    """Return the settings with the command line's embedder. Raises RunRefused for --checkpoint without --visual."""
    result = settings.with_values(visual=next(iter(args.visual), None), checkpoint=args.checkpoint, device=args.device)
    if args.checkpoint and result.visual not in LOADED:
        raise RunRefused(f"--checkpoint {args.checkpoint} needs the embedder whose weights it gives: add --visual")
    return result


def _collection_of(task: Task, settings: IndexingSettings) -> str:
    """Return the name of a task's collection; a search task has one for each embedder and checkpoint."""
    name = f"eval-{task.NAME}"
    if not isinstance(task, SearchTask) or settings.visual not in LOADED:
        return name
    weights = re.sub(r"[^A-Za-z0-9._-]+", "-", settings.checkpoint.rstrip("/").rpartition("/")[2])
    return f"{name}-{settings.visual}-{weights}"[:64]


def plan_of(args: argparse.Namespace) -> Plan:
    """Return the plan of a command line. Raises RunRefused for arguments that do not fit the task, GoldUnreadable."""
    task = TASKS[args.what]
    unknown_names = [name for name in args.by if name not in task.GROUPINGS]
    if unknown_names:
        raise RunRefused(f"task {task.NAME} has no grouping {unknown_names[0]!r} (it has: {', '.join(task.GROUPINGS)})")
    _check_inputs(task, args)
    args = _apply_inline(task, args)
    profile = load_profile(args.profile)
    profile = profile.model_copy(update={"indexing": _with_embedder(profile.indexing, args)})
    judges = {name: load_profile(name) for name in args.judge}
    for name, judge in judges.items() if isinstance(task, Judged) else ():
        model_of(name, judge)  # refuses one without a model before hours of asking
    sweep = {"method": args.method, "localizer": args.localizer, "queries": args.queries, "top_k": args.top_k}
    sweep |= {"resolution": args.resolution, "given": args.input, "base": args.base, "texts": args.texts}
    items = task.INPUTS if isinstance(task, GivenItems) else ()
    own_modes = (task.SEARCH_MODE,) if isinstance(task, SearchTask) else default_modes(profile)
    variants = variants_of(profile, args.mode or own_modes, sweep, items)
    variants = tuple(replace(variant, inline=args.inline) for variant in variants)
    home = args.home or default_home()
    return Plan(
        task=task,
        gold=task.load(args.data, args.documents, home / "eval-material", args.limit_docs),
        source=args.data,
        profile_name=args.profile,
        variants=variants,
        places=folders(args.out, variants),
        scope=args.scope or task.SCOPE,
        home=home,
        collection=args.collection or _collection_of(task, profile.indexing),
        limit=args.limit,
        parallel=args.parallel,
        resume=args.resume,
        judges=judges,
        foreign=args.predictions,
        by=tuple(args.by),
        markdown=args.markdown,
    )
