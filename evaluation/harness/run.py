"""The execution of a plan: index missing documents, ask, let judges judge, score, write summaries and print tables."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluation.errors import GoldUnreadable, RunRefused
from evaluation.harness.ask import (
    AnswerRun,
    ask,
    collection_of,
    index_missing,
    run_hash,
    scope_of,
    search_line,
    warm_up,
)
from evaluation.harness.given import chooser_of, from_items, gold_chooser, with_inline_boxes
from evaluation.harness.judge import OWN_WORDS, Judgements
from evaluation.harness.judgements import judge_names, judgements, missing_scores
from evaluation.harness.plan import Plan, Variant, depth_note
from evaluation.harness.predictions import Predictions
from evaluation.harness.results import Figure, by_group, print_figures, print_grid, summarise, write_summary
from evaluation.metrics import macro, mean
from evaluation.tasks import (
    DocumentBase,
    Figures,
    Foreign,
    GivenItems,
    Gold,
    GoldQuestion,
    InlineBoxes,
    SearchTask,
    of,
    reason,
    rows_of,
    text_of,
)
from indexing import Collection
from rag import Pipeline, RagError

INTERRUPTED = 130
"""The exit code of a shell command that Ctrl-C ended."""


def measure(plan: Plan) -> int:
    """Execute a plan; return 0 if every question was asked, 130 after Ctrl-C.

    Raises the error of an unavailable judge, after all other results are scored and written.
    """
    for problem in plan.gold.problems:
        print(f"left out: {problem}", file=sys.stderr)
    for note in (note for v in plan.variants for note in depth_note(plan, v)):
        print(note, file=sys.stderr)
    with contextlib.ExitStack() as stack:
        runs = {v.name: AnswerRun(v.mode, stack.enter_context(_open_predictions(plan, v))) for v in plan.variants}
        finished, gold, collection = True, plan.gold, None
        if plan.foreign is not None:
            gold = _take_predictions(plan, runs)
        else:
            collection = stack.enter_context(
                collection_of(
                    plan.collection,
                    plan.home,
                    plan.variants[0].profile.indexing,
                    [v.mode for v in plan.variants],
                    measured=isinstance(plan.task, SearchTask),
                )
            )
            gold, finished = index_missing(collection, gold)
            if not finished:
                print("indexing was stopped: run the same command again to continue", file=sys.stderr)
                return INTERRUPTED
            finished = _ask_variants(replace(plan, gold=gold), collection, runs)
        questions = gold.questions[: plan.limit]
        down: dict[str, RagError] = {}
        results = {
            v.name: judgements(plan, plan.places[v.name], runs[v.name].predictions, questions, collection, down)
            for v in plan.variants
        }
        about = {
            "task": plan.task.NAME,
            "gold": {"path": str(plan.source), "sha256": gold.sha256},
            "scope": plan.scope,
            "profile": plan.profile_name,
            "documents": len(gold.files) or (len(collection.documents()) if collection else 0),
            "collection": collection.stats() if collection else {},
            "indexed_in": str(collection.place) if collection else "",
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "left_out": {"questions": gold.left_out, "reasons": gold.problems},
        }
        _write_results(plan, runs, questions, results, about)
    if down:
        print(f"scored without the judgements of {', '.join(down)}: ask for them again with --resume", file=sys.stderr)
        raise next(iter(down.values()))
    if not finished:
        print("stopped: continue with the same command and --resume", file=sys.stderr)
    return 0 if finished else INTERRUPTED


def _open_predictions(plan: Plan, variant: Variant) -> Predictions:
    """Open the predictions of a variant. Raises RunRefused if the file was written with other settings."""
    run = run_hash(plan.gold, variant, plan.scope)
    return Predictions(plan.places[variant.name].predictions, run, resume=plan.resume)


def _ask_variants(plan: Plan, collection: Collection, runs: Mapping[str, AnswerRun]) -> bool:
    """Ask the questions that have no prediction yet, in every variant; return False after Ctrl-C, else True."""
    questions = plan.gold.questions[: plan.limit]
    scopes = {v.name: _searched_documents(plan, v, collection) for v in plan.variants}
    pipelines = {v.name: Pipeline(collection, v.profile.rag) for v in plan.variants}
    next(iter(pipelines.values())).warm()
    for variant in plan.variants:
        run = runs[variant.name]
        first = next((q for q in questions if q.qid not in run.predictions.rows), None)
        if first is not None:
            warm_up(pipelines[variant.name], first, run.mode, scopes[variant.name])
    texts = plan.task.in_base(plan.gold.questions[0], "text") if isinstance(plan.task, DocumentBase) else ()
    return all(  # one that was stopped stops those after it
        ask(
            pipelines[v.name],
            runs[v.name],
            questions,
            scopes[v.name],
            plan.parallel or _at_once(v),
            chooser_of(plan.task, v.given, pipelines[v.name], v.mode, scopes[v.name], texts, v.texts),
            _own_answering(plan, v, pipelines[v.name], scopes[v.name]),
        )
        for v in plan.variants
    )


def _own_answering(
    plan: Plan, variant: Variant, pipeline: Pipeline, scope: tuple[str, ...] | None
) -> Callable[[GoldQuestion], dict[str, Any]] | None:
    """Return the function that predicts in place of the pipeline: by search, inline boxes or items; None otherwise."""
    task = plan.task
    if isinstance(task, SearchTask):
        return lambda question: search_line(task, pipeline, question, variant.mode, scope or ())
    if variant.inline and isinstance(task, InlineBoxes):
        choose = gold_chooser(task, variant.given, pipeline.collection)
        return lambda question: with_inline_boxes(task, question, pipeline, choose(question).pages)
    if not isinstance(task, GivenItems) or variant.given not in task.INPUTS:
        return None
    return lambda question: from_items(task, question, pipeline, plan.gold.files, variant.given)


def _searched_documents(plan: Plan, variant: Variant, collection: Collection) -> tuple[str, ...] | None:
    """Return the ids of the documents a variant searches: None for each question's own, () for the collection."""
    if variant.base == "multi" or not isinstance(plan.task, DocumentBase):
        return scope_of(collection, plan.gold, plan.scope)
    return plan.task.in_base(plan.gold.questions[0], variant.base)


def _at_once(variant: Variant) -> int:
    """Return how many questions to ask at once: the model's concurrency; 1 for `quote`, which uses all processors."""
    settings = variant.profile.rag
    return settings.model.concurrency if settings.model is not None and settings.method != "quote" else 1


def _take_predictions(plan: Plan, runs: Mapping[str, AnswerRun]) -> Gold:
    """Add the predictions of another system's file to the run; return the gold with the problems that reading found.

    Raises RunRefused, GoldUnreadable.
    """
    source, gold = plan.foreign, plan.gold
    if source is None or len(plan.variants) != 1:
        raise RunRefused("--predictions replaces asking: give at most one --mode, and no list of values")
    predictions = next(iter(runs.values())).predictions
    by_id, questions = {q.qid: q for q in gold.questions}, gold.questions[: plan.limit]
    qids = {q.qid for q in questions}
    convert = plan.task.foreign if isinstance(plan.task, Foreign) else None
    problems = []
    for where, row in rows_of(source, text_of(source)[0]):
        try:
            qid = str(of(row, "qid", object, "index", "question_id", "query-id", "query_id"))
            if qid not in by_id:
                raise ValueError(f"its question is not in the data ({qid!r})")  # noqa: TRY301
            if qid in qids and qid not in predictions.rows:
                line = {**(convert(by_id[qid], row) if convert and "ranked_pages" not in row else row), "qid": qid}
                plan.task.figures(by_id[qid], line)  # before it is kept: a line that no figure can be made of ends here
                predictions.add(line)
            if qid in qids:
                problems += [f"{where}: {note}" for note in predictions.rows[qid].get("notes", ())]
        except ValueError as error:
            problems.append(f"{where}: {reason(error)}")
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            problems.append(
                f"{where}: it does not have the format of predictions.jsonl ({type(error).__name__}: {error})"
            )
    for problem in problems:
        print(f"left out: {problem}", file=sys.stderr)
    if not predictions.rows:
        raise GoldUnreadable(f"{source}: it contains no prediction for a question of the data")
    missing = [q.qid for q in questions if q.qid not in predictions.rows]
    if missing:
        problems.append(f"{source.name}: it has no prediction for {len(missing)} questions, such as {missing[0]!r}")
        print(f"left out: {problems[-1]}", file=sys.stderr)
    return replace(gold, problems=(*gold.problems, *problems), left_out=gold.left_out + len(missing))


def scores_of(
    plan: Plan,
    predictions: Mapping[str, Mapping[str, Any]],
    questions: Sequence[GoldQuestion],
    by_judge: Judgements | None,
) -> dict[str, Figures]:
    """Return the figures of each question that has a prediction, by question id, with the first judge's scores."""
    first = judge_names(plan, by_judge)[:1]
    return {
        q.qid: plan.task.figures(q, predictions[q.qid], by_judge.of(q.qid, first[0]) if by_judge and first else None)
        for q in questions
        if q.qid in predictions
    }


def _write_results(
    plan: Plan,
    runs: Mapping[str, AnswerRun],
    questions: Sequence[GoldQuestion],
    by_variant: Mapping[str, Judgements | None],
    about: Mapping[str, Any],
) -> None:
    """Write the scores and summary of every variant, then print all of them."""
    tables: dict[str, dict[str, dict[str, Figure]]] = {}
    counts: dict[str, dict[str, float]] = {}
    for variant in plan.variants:
        rows, place = runs[variant.name].predictions.rows, plan.places[variant.name]
        scores = scores_of(plan, rows, questions, by_variant[variant.name])
        present_questions = [q for q in questions if q.qid in scores]
        tables[variant.name] = _groups(plan, present_questions, scores)
        errors = sum("error" in rows[q.qid] for q in present_questions)
        without = missing_scores(plan, by_variant[variant.name], runs[variant.name].predictions, questions)
        for note in without:
            print(f"{variant.name}: {note}", file=sys.stderr)
        counts[variant.name] = _counts(plan, present_questions, rows)
        own = {
            "run": runs[variant.name].predictions.run,
            "variant": variant.name,
            "mode": variant.mode,
            "input": variant.given,
            "inline": variant.inline,
            "base": variant.base,
            "texts": variant.texts,
            "settings_hash": variant.profile.rag.hash,
            "settings": variant.profile.model_dump(mode="json"),
            "questions": len(present_questions),
            "failed": errors,
            "judges": judge_names(plan, by_variant[variant.name]),
            "counts": counts[variant.name],
            **_macros(plan, present_questions, scores),
            "notes": (*depth_note(plan, variant), *without),
        }
        write_summary(place.summary, {**about, **own}, tables[variant.name])
        _write_scores(place.scores, present_questions, scores)
        if plan.foreign is None and isinstance(plan.task, Foreign):
            lines = [plan.task.output_line(q, rows[q.qid]) + "\n" for q in present_questions]
            place.outputs.write_text("".join(lines), encoding="utf-8")
        if errors:
            print(f"{variant.name}: {errors} questions could not be asked and count as nothing found", file=sys.stderr)
    if any(judge_names(plan, of_variant) for of_variant in by_variant.values()):
        print(OWN_WORDS)
    _print(plan, about, tables, counts)


def _print(
    plan: Plan,
    about: Mapping[str, Any],
    tables: Mapping[str, Mapping[str, Mapping[str, Figure]]],
    counts: Mapping[str, Mapping[str, float]],
) -> None:
    """Print a table with a column per variant, then for each of the plan's groupings a table per variant."""
    left_out = about["left_out"]["questions"]
    title = f"{plan.source.name}, scope {plan.scope}, {about['documents']} documents, {about['date'][:10]}"
    title += _settings(plan)
    title += f"; questions left out: {left_out}" if left_out else ""
    print_figures(title, {name: groups["all"] for name, groups in tables.items()}, markdown=plan.markdown)
    if isinstance(plan.task, DocumentBase):
        names = list(next(iter(counts.values()), {}))
        body = [[name, *(f"{of.get(name, 0):.1f}" for of in counts.values())] for name in names]
        print_grid("documents a question", ["mean number", *counts], body, markdown=plan.markdown)
    for name in plan.by:
        for variant_name, groups in tables.items():
            columns = {g.partition(": ")[2]: figures for g, figures in groups.items() if g.startswith(f"{name}: ")}
            print_figures(f"{variant_name}, by {name}", columns, markdown=plan.markdown)


def _settings(plan: Plan) -> str:
    """Return a part of the title: the measured embedder and the settings' hashes; "" for another system's answers."""
    if plan.foreign is not None:
        return ""
    indexing = plan.variants[0].profile.indexing
    embedder = f", {indexing.visual} {indexing.checkpoint}".rstrip() if isinstance(plan.task, SearchTask) else ""
    hashes = {v.name: v.profile.rag.hash for v in plan.variants}
    if len(set(hashes.values())) == 1:
        return f"{embedder}, settings {next(iter(hashes.values()))}"
    return f"{embedder}, settings {', '.join(f'{digest} ({name})' for name, digest in hashes.items())}"


def _groups(
    plan: Plan, questions: Sequence[GoldQuestion], scores: Mapping[str, Figures]
) -> dict[str, dict[str, Figure]]:
    """Return the figures of `all` questions and of every group, under `GROUPING: GROUP`, the largest group first."""
    groups = {"all": summarise([scores[q.qid] for q in questions])}
    for name in plan.task.GROUPINGS:
        members = by_group({q.qid: q.groups for q in questions}, name)
        groups |= {f"{name}: {group}": summarise([scores[qid] for qid in ids]) for group, ids in members.items()}
    return groups


def _macro(plan: Plan, questions: Sequence[GoldQuestion], scores: Mapping[str, Figures]) -> dict[str, float]:
    """Return the macro average of each figure of the paper's table, in percent; {} if the paper has none."""
    if plan.task.MACRO is None:
        return {}
    averages = {}
    for name in plan.task.TABLE:
        groups: dict[str, list[float]] = {}
        for question in questions:
            value = scores[question.qid].get(name)
            if value is not None:
                groups.setdefault(question.groups.get(plan.task.MACRO, ("unlabelled",))[0], []).append(100 * value)
        average = macro(groups)
        if average is not None:
            averages[name] = average
    return averages


def _counts(plan: Plan, questions: Sequence[GoldQuestion], rows: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Return the mean numbers of documents that a model was given and used, by name; {} if the task counts none."""
    if not isinstance(plan.task, DocumentBase) or not questions:
        return {}
    each = [plan.task.counts(q, rows[q.qid]) for q in questions]
    return {name: mean([counts[name] for counts in each]) for name in each[0]}


def _macros(plan: Plan, questions: Sequence[GoldQuestion], scores: Mapping[str, Figures]) -> dict[str, Any]:
    """Return `macro`, the averages over all questions, and `macro_within`, those of each group of grouping WITHIN."""
    averages: dict[str, Any] = {"macro": _macro(plan, questions, scores), "macro_within": {}}
    if grouping := getattr(plan.task, "WITHIN", ""):
        members = by_group({q.qid: q.groups for q in questions}, grouping)
        averages["macro_within"] = {
            group: _macro(plan, [q for q in questions if q.qid in set(ids)], scores) for group, ids in members.items()
        }
    return averages


def _write_scores(path: Path, questions: Sequence[GoldQuestion], scores: Mapping[str, Figures]) -> None:
    """Write scores.jsonl, which reports and comparisons read: a line per question with figures, groups and gold."""
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8") as file:
        for q in questions:
            gold = {
                "answer": q.answer,
                "documents": q.documents,
                "boxes": [{"page": b.page, "bbox": b.bbox, "doc": b.doc} for b in q.boxes],
            }
            row = {"qid": q.qid, "question": q.text, "groups": q.groups, "gold": gold, "figures": scores[q.qid]}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    part.replace(path)
