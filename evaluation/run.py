r"""Ask Vouch the questions of a benchmark, write down what it says, and score it.

    python -m evaluation.run mmdocir --gold dev.jsonl --pdfs pdfs/ --mode multi --scope document --out multi.jsonl
    python -m evaluation.run mmdocir --gold dev.jsonl --pdfs pdfs/ --mode text image multi --scope collection \
        --by modality --out runs/today/

What is not indexed yet is indexed first, into the collection named by --home and --collection, where the next run finds
it; for the modes image and multi that means reading the pixels of every page, once. `--scope document` searches in the
question's own document; `--scope collection` in all documents of the gold file, where a page, box or citation of
another document counts as page 0: it takes a rank and is never right.

Every question becomes one line of --out: qid, ranked_pages, ranked_boxes, citations, answer, abstained, latency_ms.
Beside it lies a .summary.json with the settings and the figures. Ctrl-C leaves whole lines; the same command with
--resume goes on after the last one, and refuses when the lines were made with other settings, mode or scope.
Each figure is a mean over questions in percent, ± its standard error; evaluation/metrics.py says from which paper.
A line of the gold file that is no good, or whose PDF is missing or cannot be indexed, is named and left out.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

from evaluation.bench_inputs import say, tell
from evaluation.predictions import Predictions, Refused
from evaluation.report import Figure, print_figures, summarise, write_summary
from evaluation.tasks import mmdocir
from evaluation.tasks.mmdocir import Gold, GoldUnreadable, Question
from indexing import Collection, IndexingError, build_index, default_home
from rag import Mode, Pipeline, Profile, RagError, load_profile

INTERRUPTED = 130
"""The exit code of a shell command that Ctrl-C ended."""


@dataclass(frozen=True, slots=True)
class Run:
    """One mode on its way through the questions."""

    mode: Mode
    predictions: Predictions


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
    add("--resume", action="store_true", help="continue what an earlier run of the same settings left in --out")
    add("--profile", default="default", help="settings: a name in configs/, or your own .yaml (default: %(default)s)")
    add("--home", type=Path, metavar="DIR", help="folder of the collections (default: that of the vouch command)")
    add("--collection", default="eval", metavar="NAME", help="where the documents are indexed (default: %(default)s)")
    add("--limit-docs", type=positive, metavar="N", help="only the N smallest documents, and the questions about them")
    add("--limit-questions", type=positive, metavar="N", help="only the first N questions")
    add("--by", nargs="+", choices=["modality", "domain"], default=[], help="also a table of each of these")
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
        return measure(asked)
    except (GoldUnreadable, Refused, IndexingError, RagError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


def measure(asked: argparse.Namespace) -> int:
    """Index what is missing, ask every question in every mode, print the tables."""
    profile = load_profile(asked.profile)
    gold = mmdocir.read(asked.gold, asked.pdfs, asked.limit_docs)
    for problem in gold.problems:
        print(f"left out: {problem}", file=sys.stderr)
    with contextlib.ExitStack() as stack:
        runs = [Run(m, stack.enter_context(p)) for m, p in opened(asked, gold, profile)]
        collection = collection_of(asked, profile)
        gold, whole = indexed(collection, gold)
        if not whole:
            print("indexing was stopped: the same command goes on with it", file=sys.stderr)
            return INTERRUPTED
        questions = gold.questions[: asked.limit_questions]
        pipeline = Pipeline(collection, profile.rag)
        scope = scope_of(collection, gold, asked.scope)
        pipeline.warm()
        for run in runs:  # the first question of each mode loads what it needs: it is not timed
            predicted(pipeline, questions[0], run.mode, scope)
        for run in runs:
            whole = whole and ask(pipeline, run, questions, scope)
        about = {
            "task": asked.task,
            "gold": {"path": str(asked.gold), "sha256": gold.sha256},
            "scope": asked.scope,
            "profile": asked.profile,
            "settings_hash": profile.rag.hash,
            "settings": profile.model_dump(mode="json"),
            "documents": len(gold.files),
            "collection": collection.stats(),
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "left_out": {"questions": gold.left_out, "reasons": gold.problems},
        }
        tell_figures(asked, runs, questions, about)
    if not whole:
        print("stopped: the same command with --resume goes on", file=sys.stderr)
    return 0 if whole else INTERRUPTED


def opened(asked: argparse.Namespace, gold: Gold, profile: Profile) -> Iterator[tuple[Mode, Predictions]]:
    """The file of every mode; Refused when one cannot be continued, before anything is indexed."""
    modes = list(dict.fromkeys(asked.mode))
    for mode in modes:
        path = asked.out / f"{mode}.jsonl" if len(modes) > 1 else asked.out
        yield mode, Predictions(path, run_hash(gold, profile, mode, asked.scope), resume=asked.resume)


def run_hash(gold: Gold, profile: Profile, mode: Mode, scope: str) -> str:
    """Twelve hex digits for everything that a prediction depends on besides its question."""
    depends = {
        "mode": mode,
        "scope": scope,
        "rag": profile.rag.hash,
        "indexing": profile.indexing.model_dump(mode="json", exclude={"workers"}),
        "searched": sorted(gold.files) if scope == "collection" else "the question's document",
    }
    return hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()[:12]


def collection_of(asked: argparse.Namespace, profile: Profile) -> Collection:
    """The collection of that name; a new one can serve every mode that is asked for, whatever the profile says.

    Raises Refused, before anything is indexed, when there is one that cannot.
    """
    settings, seeing = profile.indexing, any(mode != "text" for mode in asked.mode)
    if seeing and settings.visual == "none":
        settings = settings.model_copy(update={"visual": "ocr_regions"})
    collection = Collection.create(asked.collection, asked.home or default_home(), settings)
    if seeing and collection.settings.visual == "none":
        raise Refused(
            f"collection {collection.name!r} was made without a visual embedder: ask it in --mode text only, or name "
            "another with --collection"
        )
    return collection


def indexed(collection: Collection, gold: Gold) -> tuple[Gold, bool]:
    """Index what the collection lacks; the gold without the documents that failed, and False when Ctrl-C came."""
    present = {document.id for document in collection.documents()}
    missing = [path for doc_id, path in gold.files.items() if doc_id not in present]
    problems = list(gold.problems)
    if missing:
        report = build_index(collection, missing, on_progress=tell)
        print(file=sys.stderr)
        if report.cancelled:
            return gold, False
        failures = [failure.message for file in report.files for failure in file.failures]
        for message in failures:
            print(f"not indexed: {message}", file=sys.stderr)
        problems += failures
        present = {document.id for document in collection.documents()}
    kept = tuple(q for q in gold.questions if q.document in present)
    if not kept:
        raise GoldUnreadable("none of the documents could be indexed: see above")
    files = {doc_id: path for doc_id, path in gold.files.items() if doc_id in present}
    left_out = gold.left_out + len(gold.questions) - len(kept)
    return replace(gold, questions=kept, files=files, problems=tuple(problems), left_out=left_out), True


def scope_of(collection: Collection, gold: Gold, scope: str) -> tuple[str, ...] | None:
    """The documents that are searched: None for the question's own, () for all that the collection holds."""
    if scope == "document":
        return None
    everything = {document.id for document in collection.documents()}
    return () if everything == set(gold.files) else tuple(sorted(gold.files))


def ask(pipeline: Pipeline, run: Run, questions: Sequence[Question], scope: tuple[str, ...] | None) -> bool:
    """Ask what has no prediction yet; False when Ctrl-C came."""
    rest = [q for q in questions if q.qid not in run.predictions.rows]
    try:
        started = time.perf_counter()
        for number, question in enumerate(rest, 1):
            run.predictions.add(predicted(pipeline, question, run.mode, scope))
            left = (time.perf_counter() - started) / number * (len(rest) - number)
            done = len(questions) - len(rest) + number
            say(f"{run.mode}: questions", done, len(questions), f"{left // 60:.0f}:{left % 60:02.0f} left")
    except KeyboardInterrupt:
        return False
    finally:
        if rest:
            print(file=sys.stderr)
    return True


def predicted(pipeline: Pipeline, question: Question, mode: Mode, scope: tuple[str, ...] | None) -> dict[str, Any]:
    """The prediction of a question; one that cannot be asked is a prediction too, with the reason."""
    documents = (question.document,) if scope is None else scope
    started = time.perf_counter()
    try:
        answer = pipeline.answer(question.text, documents=documents, mode=mode)
    except RagError as error:
        return mmdocir.nothing(question, str(error))
    return mmdocir.prediction(question, answer, 1000 * (time.perf_counter() - started))


def tell_figures(
    asked: argparse.Namespace, runs: Sequence[Run], questions: Sequence[Question], about: Mapping[str, Any]
) -> None:
    """Print the modes side by side, then each by its groups, and write the summaries."""
    tables: dict[str, dict[str, dict[str, Figure]]] = {}
    for run in runs:
        rows = run.predictions.rows
        answered = [q for q in questions if q.qid in rows]
        by = {name: mmdocir.grouped(answered, rows, name) for name in ("modality", "domain")}
        groups = {"all": summarise(mmdocir.grouped(answered, rows).get("all", []))}
        tables[run.mode] = groups | {
            f"{name}: {group}": summarise(found) for name, of in by.items() for group, found in of.items()
        }
        failed = sum("error" in rows[q.qid] for q in answered)
        run_about = {"run": run.predictions.run, "mode": run.mode, "questions": len(answered), "failed": failed}
        write_summary(run.predictions.path.with_suffix(".summary.json"), {**about, **run_about}, tables[run.mode])
        if failed:
            print(f"{run.mode}: {failed} questions could not be asked and count as nothing found", file=sys.stderr)
    left_out = about["left_out"]["questions"]
    title = f"{asked.gold.name}, scope {asked.scope}, {about['documents']} documents, settings {about['settings_hash']}"
    title += f", {about['date'][:10]}" + (f"; questions left out: {left_out}" if left_out else "")
    print_figures(title, {mode: groups["all"] for mode, groups in tables.items()}, markdown=asked.markdown)
    for name in asked.by:
        for mode, groups in tables.items():
            chosen = {g.partition(": ")[2]: found for g, found in groups.items() if g.startswith(f"{name}: ")}
            print_figures(f"{mode}, by {name}", chosen, markdown=asked.markdown)


if __name__ == "__main__":
    sys.exit(main())
