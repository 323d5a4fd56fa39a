"""What models are asked about a run besides its questions: to judge its answers, and to choose their sources."""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.asking import Run, in_order
from evaluation.bench_inputs import say
from evaluation.choosing import Choices, identify
from evaluation.judging import Judge, Judgement, Judgements, Picture, Region, model_of
from evaluation.plan import Place, Plan
from evaluation.predictions import Predictions
from evaluation.questions import Question
from evaluation.task import Choosing, Judged
from indexing import Collection


def judgements(
    plan: Plan, place: Place, predictions: Predictions, questions: Sequence[Question], collection: Collection | None
) -> Judgements | None:
    """Let every judge judge what it has not judged yet; None for a task without rubrics."""
    task = plan.task
    if not isinstance(task, Judged) or place.judgements is None:
        if plan.judges:
            print(f"task {task.NAME} has no figure that takes a judge", file=sys.stderr)
        return None
    kept = Judgements(place.judgements)
    for name, profile in (plan.judges or {}).items():
        judge = Judge(model_of(name, profile), _pictures(collection))
        todo = [
            (q.qid, rubric)
            for q in questions
            if q.qid in predictions.rows
            for rubric in kept.missing(q.qid, judge.name, task.rubrics(q, predictions.rows[q.qid]))
        ]

        def one(item: tuple[str, Any], judge: Judge = judge) -> tuple[str, Judgement]:
            return item[0], judge.judge(item[1])

        limit = profile.rag.model.concurrency if profile.rag.model else 1
        for number, (qid, judgement) in enumerate(in_order(one, todo, limit), 1):
            kept.add(qid, judgement)
            say(f"{judge.name}: judgements", number, len(todo))
        if todo:
            print(file=sys.stderr)
    return kept


def identifications(plan: Plan, runs: Mapping[str, Run], questions: Sequence[Question]) -> dict[str, Choices]:
    """What was chosen of the sources, by variant; asked now, where it was asked for and is missing."""
    task = plan.task
    if not isinstance(task, Choosing):
        if plan.identify:
            print(f"task {task.NAME} has no sources to choose from", file=sys.stderr)
        return {}
    kept = {v.name: Choices(path) for v in plan.variants if (path := plan.places[v.name].choices) is not None}
    if plan.identify is not None and kept:
        answered = [q for q in questions if any(q.qid in run.predictions.rows for run in runs.values())]
        choices = {q.qid: task.choice(q, plan.identify.seed) for q in answered}
        identify(plan.identify, choices, plan.gold.files, list(kept.values()))
    return kept


def _pictures(collection: Collection | None) -> Picture | None:
    """What draws a region of a page: its crop."""
    if collection is None:
        return None

    drawing = threading.Lock()  # one process draws; judges ask from several threads

    def crop(region: Region) -> Any:
        with drawing:
            page = collection.draw_page(region.document, region.page, 1000)
        x0, y0, x1, y1 = (v * side for v, side in zip(region.bbox, page.size * 2, strict=True))
        left, top = int(x0), int(y0)
        return page.crop((left, top, max(math.ceil(x1), left + 1), max(math.ceil(y1), top + 1)))  # no model takes 0 px

    return crop


def judge_names(judged: Judgements | None) -> list[str]:
    """The judges, the first one that judged first."""
    return list(dict.fromkeys(j.judge for j in judged.made.values())) if judged else []
