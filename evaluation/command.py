"""`vouch eval`: run a benchmark, report runs, compare two of them. The options, and what they become."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from evaluation import attention
from evaluation.choosing import whom
from evaluation.constructing import add_options, construct
from evaluation.judging import model_of
from evaluation.measure import INTERRUPTED, measure
from evaluation.plan import Plan, default_modes, folders, variants_of
from evaluation.predictions import Refused
from evaluation.questions import GoldUnreadable
from evaluation.registry import TASKS
from evaluation.run import positive
from evaluation.task import Judged
from indexing import IndexingError, default_home
from rag import Mode, RagError, RagSettings, load_profile
from rag.types import Method

LOCALIZERS = get_args(RagSettings.model_fields["localizer"].annotation)

_EXAMPLES = """\
examples:
  vouch eval samples --data samples --out runs/samples --mode text image multi
  vouch eval mmdocir --data MMDocIR --out runs/mmdocir --limit 200
  vouch eval citevqa --data CiteVQA --profile vllm --method vanilla cot --judge vllm --out runs/citevqa
  vouch eval citevqa --data CiteVQA --predictions other-system.json --out runs/other
  vouch eval mcitebench --data MCiteBench --profile vllm --method cot --judge vllm --identify vllm --out runs/mcite
  vouch eval attention --data MCiteBench --checkpoint Qwen/Qwen2.5-VL-7B-Instruct --limit 50 --out runs/attention
  vouch eval report runs/citevqa --out report
  vouch eval compare runs/citevqa/multi-vanilla runs/citevqa/multi-cot
  vouch eval construct visa --collection mine --profile vllm --out data/mine --sft data/mine/sft.jsonl

A run is a folder: predictions.jsonl, scores.jsonl, judgements.jsonl, summary.json; with several modes, methods or
settings, such a folder for each. Ctrl-C leaves whole lines, and --resume goes on after them.
exit code: 0 every question was asked, 2 nothing could be run or a judge is not there, 130 stopped
"""


def options() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="vouch eval", description=__doc__, epilog=_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="what", metavar="TASK", required=True, title="tasks and commands")
    for name, task in TASKS.items():
        run = commands.add_parser(name, help=task.SAYS, formatter_class=argparse.RawDescriptionHelpFormatter)
        run.description = sys.modules[f"evaluation.tasks.{name}"].__doc__
        _add_run(run)
    report = commands.add_parser("report", help="tables, plots and failures of runs, as Markdown and HTML")
    report.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="folders of runs, or folders that hold such")
    report.add_argument("--out", type=Path, required=True, metavar="DIR", help="where report.md and report.html go")
    report.add_argument("--title", default="", help="of the report")
    report.add_argument("--failures", type=int, default=12, metavar="N", help="most failures in the gallery")
    report.add_argument("--home", type=Path, metavar="DIR", help="folder of the collections, for their pages")
    making = commands.add_parser("construct", help="make data of a benchmark's form from documents of your own")
    add_options(making)
    watching = commands.add_parser(
        "attention",
        help="where a model on this machine looks while it answers (MCiteBench)",
        description=attention.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    attention.add_options(watching)
    compare = commands.add_parser("compare", help="what changed between two runs, question by question")
    compare.add_argument("a", type=Path, metavar="A", help="the folder of a run")
    compare.add_argument("b", type=Path, metavar="B", help="and of another")
    compare.add_argument("--figure", metavar="NAME", help="by which to list (default: the task's first)")
    compare.add_argument("--limit", type=positive, default=20, metavar="N", help="most questions listed each way")
    return parser


def _add_run(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--data", type=Path, required=True, metavar="PATH", help="the data set: its folder, or its file of questions")
    add("--documents", type=Path, metavar="DIR", help="folder of its documents, where it is not where it should be")
    add("--out", type=Path, required=True, metavar="RUN", help="the folder of the run")
    add("--profile", default="default", metavar="P", help="settings: a name in configs/, or your own .yaml")
    add("--mode", nargs="+", choices=get_args(Mode), default=[], help="text, image, multi (default: the profile's)")
    add("--method", nargs="+", choices=get_args(Method), default=[], help="who answers, and how")
    add("--localizer", nargs="+", choices=LOCALIZERS, default=[], help="what boxes a proof")
    add("--queries", nargs="+", type=positive, default=[], metavar="N", help="most queries made of a question")
    add("--top-k", nargs="+", type=positive, default=[], metavar="K", help="elements retrieved as evidence")
    add("--scope", choices=["document", "collection"], help="where to search (default: as the benchmark does)")
    add("--judge", nargs="+", default=[], metavar="PROFILE", help="whose model judges; of two, the first one counts")
    add("--identify", metavar="PROFILE", help="whose model is also shown the sources, to choose those that prove")
    add("--seed", type=int, default=0, help="the order of the sources to choose from (default: %(default)s)")
    add("--mauve", default="", metavar="MODEL", help="features for MAUVE (mavis): a GPT-2, its folder or hub name")
    add("--predictions", type=Path, metavar="FILE", help="score these, by any system, instead of asking")
    add("--limit", type=positive, metavar="N", help="only the first N questions")
    add("--limit-docs", type=positive, metavar="N", help="only the N smallest documents, and the questions about them")
    add("--parallel", type=positive, metavar="N", help="questions at once (default: as many as the model takes)")
    add("--resume", action="store_true", help="go on after the lines that the same run left in --out")
    add("--home", type=Path, metavar="DIR", help="folder of the collections (default: that of the vouch command)")
    add("--collection", metavar="NAME", help="where the documents are indexed (default: eval-TASK)")
    add("--by", nargs="+", default=[], metavar="GROUPING", help="also a table of each of these")
    add("--markdown", action="store_true", help="print the tables as Markdown")


def main(argv: Sequence[str] | None = None) -> int:
    """Run; 0 when all was done, 130 when stopped by Ctrl-C, 2 when nothing could be run or a judge is not there."""
    asked = options().parse_args(argv)
    try:
        if asked.what == "report":
            from evaluation.report_page import write_report

            write_report(asked.runs, asked.out, asked.title, asked.failures, asked.home)
            return 0
        if asked.what == "compare":
            from evaluation.compare import compare

            compare(asked.a, asked.b, asked.figure, asked.limit)
            return 0
        others = {"construct": construct, "attention": attention.attention}
        return others[asked.what](asked) if asked.what in others else measure(plan_of(asked))
    except (GoldUnreadable, Refused, IndexingError, RagError) as error:
        print(f"vouch eval: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


def plan_of(asked: argparse.Namespace) -> Plan:
    """The plan of a command line. Raises Refused for a grouping that the task lacks, and what reading raises."""
    task = TASKS[asked.what]
    unknown = [name for name in asked.by if name not in task.GROUPINGS]
    if unknown:
        raise Refused(f"task {task.NAME} has no groups by {unknown[0]!r} (it has: {', '.join(task.GROUPINGS)})")
    profile = load_profile(asked.profile)
    judges = {name: load_profile(name) for name in asked.judge}
    for name, judge in judges.items() if isinstance(task, Judged) else ():
        model_of(name, judge)  # refuses one without a model before hours of asking
    variants = variants_of(
        profile,
        asked.mode or default_modes(profile),
        methods=asked.method,
        localizers=asked.localizer,
        queries=asked.queries,
        top_k=asked.top_k,
    )
    home = asked.home or default_home()
    return Plan(
        task=task,
        gold=task.load(asked.data, asked.documents, home / "eval-material", asked.limit_docs),
        source=asked.data,
        profile_name=asked.profile,
        variants=variants,
        places=folders(asked.out, variants),
        scope=asked.scope or task.SCOPE,
        home=home,
        collection=asked.collection or f"eval-{task.NAME}",
        limit=asked.limit,
        parallel=asked.parallel,
        resume=asked.resume,
        judges=judges,
        identify=whom(asked.identify, load_profile(asked.identify), asked.seed) if asked.identify else None,
        mauve=asked.mauve,
        foreign=asked.predictions,
        by=tuple(asked.by),
        markdown=asked.markdown,
    )
