r"""Ask Vouch the questions of a benchmark, write down what it says, and score it.

    python -m evaluation.run mmdocir --gold dev.jsonl --pdfs pdfs/ --mode multi --scope document --out multi.jsonl
    python -m evaluation.run mmdocir --gold dev.jsonl --pdfs pdfs/ --mode text image multi --scope collection \
        --by modality --out runs/today/

What is not indexed yet is indexed first, into the collection named by --home and --collection, where the next run finds
it; what the modes image and multi see of a page is as the profile says (`indexing.pixels`). `--scope document` searches
in the question's own document; `--scope collection` in all documents of the gold file, where a page, box or citation
of another document counts as page 0: it takes a rank and is never right.

Every question becomes one line of --out: qid, ranked_pages, ranked_boxes, citations, answer, abstained, latency_ms.
Beside it lies a .summary.json with the settings and the figures. Ctrl-C leaves whole lines; the same command with
--resume goes on after the last one, and refuses when the lines were made with other settings, mode or scope.
Each figure is a mean over questions in percent, ± its standard error; evaluation/metrics.py says from which paper.
A line of the gold file that is no good, or whose PDF is missing or cannot be indexed, is named and left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from evaluation.measure import INTERRUPTED, measure
from evaluation.plan import Place, Plan, variants_of
from evaluation.predictions import Refused
from evaluation.questions import GoldUnreadable
from evaluation.tasks import mmdocir
from indexing import IndexingError
from rag import Mode, RagError, load_profile


def options() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("task", choices=[mmdocir.NAME], help="the benchmark")
    add("--gold", type=Path, required=True, metavar="FILE.jsonl", help="the questions, one document a line")
    add("--pdfs", type=Path, required=True, metavar="DIR", help="folder of the documents that the gold file names")
    add("--mode", nargs="+", choices=get_args(Mode), required=True, help="one, or several to be shown side by side")
    add(
        "--scope", choices=["document", "collection"], default="document", help="where to search (default: %(default)s)"
    )
    add("--out", type=Path, required=True, metavar="PRED.jsonl", help="the predictions; with several modes a folder")
    add(
        "--localizer",
        nargs="+",
        choices=["element", "patch", "model"],
        default=[],
        metavar="L",
        help="who boxes a proof: element, patch, model, or several; those of element are whole elements",
    )
    add("--resume", action="store_true", help="continue what an earlier run of the same settings left in --out")
    add("--profile", default="default", help="settings: a name in configs/, or your own .yaml (default: %(default)s)")
    add("--home", type=Path, metavar="DIR", help="folder of the collections (default: that of the vouch command)")
    add("--collection", default="eval", metavar="NAME", help="where the documents are indexed (default: %(default)s)")
    add("--limit-docs", type=positive, metavar="N", help="only the N smallest documents, and the questions about them")
    add("--limit-questions", type=positive, metavar="N", help="only the first N questions")
    add("--by", nargs="+", choices=mmdocir.GROUPINGS, default=[], help="also a table of each of these")
    add("--markdown", action="store_true", help="print the tables as Markdown")
    return parser


def positive(text: str) -> int:
    """A count on the command line: 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def main(argv: Sequence[str] | None = None) -> int:
    """Run; 0 when every question was asked, 130 when stopped by Ctrl-C, 2 when nothing could be run."""
    asked = options().parse_args(argv)
    try:
        return measure(plan_of(asked))
    except (GoldUnreadable, Refused, IndexingError, RagError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


def plan_of(asked: argparse.Namespace) -> Plan:
    """The plan of the command line: predictions in the file --out or, with several modes, one a mode in that folder."""
    profile = load_profile(asked.profile)
    variants = variants_of(profile, asked.mode, localizers=asked.localizer)
    paths = {v.name: asked.out / f"{v.name}.jsonl" if len(variants) > 1 else asked.out for v in variants}
    return Plan(
        task=mmdocir,
        gold=mmdocir.read(asked.gold, asked.pdfs, asked.limit_docs),
        source=asked.gold,
        profile_name=asked.profile,
        variants=variants,
        places={name: Place(path, path.with_suffix(".summary.json")) for name, path in paths.items()},
        scope=asked.scope,
        home=asked.home,
        collection=asked.collection,
        limit=asked.limit_questions,
        resume=asked.resume,
        by=tuple(asked.by),
        markdown=asked.markdown,
    )


if __name__ == "__main__":
    sys.exit(main())
