"""What models are asked about a run besides its questions: to judge its answers, and to choose their sources."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

from evaluation.asking import HOPELESS, Run, in_order
from evaluation.bench_inputs import say
from evaluation.choosing import Choices, identify
from evaluation.judging import Judge, Judgement, Judgements, Picture, Region, Unshowable, model_of
from evaluation.plan import Place, Plan
from evaluation.predictions import Predictions
from evaluation.questions import Question
from evaluation.task import Choosing, Judged
from indexing import BBox, Collection, IndexingError
from indexing.workers import Job, Workers
from rag import RagError
from rag.crops import cut_out

if TYPE_CHECKING:
    from PIL import Image

WIDTH = 1000
"""Pixels of a page from which regions are cut out."""


def judgements(
    plan: Plan,
    place: Place,
    predictions: Predictions,
    questions: Sequence[Question],
    collection: Collection | None,
    lost: dict[str, RagError],
) -> Judgements | None:
    """Let every judge judge what it has not judged yet; None for a task without rubrics.

    A judge that nothing more can be had of is kept in `lost` under its profile, with the error, and not asked again.
    """
    task = plan.task
    if not isinstance(task, Judged) or place.judgements is None:
        if plan.judges:
            print(f"task {task.NAME} has no figure that takes a judge", file=sys.stderr)
        return None
    kept = Judgements(place.judgements)
    with _pictures(plan, collection) as picture:
        for name, profile in (plan.judges or {}).items():
            if name in lost:
                continue
            judge = Judge(model_of(name, profile), picture)
            todo = [
                (q.qid, rubric)
                for q in questions
                if q.qid in predictions.rows
                for rubric in kept.missing(q.qid, judge.name, task.rubrics(q, predictions.rows[q.qid]))
            ]

            def one(item: tuple[str, Any], judge: Judge = judge) -> tuple[str, Judgement]:
                return item[0], judge.judge(item[1])

            limit = profile.rag.model.concurrency if profile.rag.model else 1
            try:
                for number, (qid, judgement) in enumerate(in_order(one, todo, limit), 1):
                    kept.add(qid, judgement)
                    say(f"{judge.name}: judgements", number, len(todo))
            except HOPELESS as error:
                lost[name] = error
            if todo:
                print(file=sys.stderr)
    return kept


def identifications(
    plan: Plan, runs: Mapping[str, Run], questions: Sequence[Question], lost: dict[str, RagError]
) -> dict[str, Choices]:
    """What was chosen of the sources, by variant; asked now, where it was asked for and is missing.

    A model that nothing more can be had of is kept in `lost`, as a judge is.
    """
    task = plan.task
    if not isinstance(task, Choosing):
        if plan.identify:
            print(f"task {task.NAME} has no sources to choose from", file=sys.stderr)
        return {}
    kept = {v.name: Choices(path) for v in plan.variants if (path := plan.places[v.name].choices) is not None}
    if plan.identify is not None and kept:
        answered = [q for q in questions if any(q.qid in run.predictions.rows for run in runs.values())]
        choices = {q.qid: task.choice(q, plan.identify.seed) for q in answered}
        try:
            identify(plan.identify, choices, plan.gold.files, list(kept.values()))
        except HOPELESS as error:
            lost[plan.identify.profile_name] = error
    return kept


@contextmanager
def _pictures(plan: Plan, collection: Collection | None) -> Generator[Picture]:
    """What draws a region of a page, its crop: from the collection or, without one, from the files of the data."""
    settings, drawing = plan.variants[0].profile.indexing, threading.Lock()  # judges ask from several threads
    with Workers(1, settings) as workers:

        def page(region: Region) -> Image.Image:
            if collection is not None:
                return collection.draw_page(region.document, region.page, WIDTH)
            from PIL import Image

            job = Job(plan.gold.files[region.document], None, settings)
            return Image.open(BytesIO(workers.draw(job, region.page, WIDTH)))

        def crop(region: Region) -> Image.Image:
            try:
                box = BBox(*region.bbox)
                with drawing:
                    image = page(region)
            except (IndexingError, KeyError, ValueError) as error:  # no document of the data, no box on a page
                raise Unshowable(f"page {region.page} of {region.document} cannot be drawn ({error})") from None
            return cut_out(image, box, max(image.size))

        yield crop


def unjudged(
    plan: Plan, judged: Judgements | None, predictions: Predictions, questions: Sequence[Question]
) -> tuple[str, ...]:
    """That the judge that counts has no score for some of what it was to judge; else nothing."""
    names, task = judge_names(plan, judged)[:1], plan.task
    if judged is None or not names or not isinstance(task, Judged):
        return ()
    answered = [q for q in questions if q.qid in predictions.rows]
    wanted = {q.qid: [rubric.key for rubric in task.rubrics(q, predictions.rows[q.qid])] for q in answered}
    blank = {qid: sum(key not in judged.of(qid, names[0]) for key in keys) for qid, keys in wanted.items()}
    if not any(blank.values()):
        return ()
    count, total, of = sum(blank.values()), sum(map(len, wanted.values())), sum(map(bool, blank.values()))
    of_what = f"{of} of {len(answered)} questions, and their means are of the others"
    return (f"{names[0]} gave no score {count} times of {total}: figures that take one are blank for {of_what}",)


def judge_names(plan: Plan, judged: Judgements | None) -> list[str]:
    """The judges, first the one that counts: those that are asked now, then those of earlier, as they judged."""
    made = dict.fromkeys(j.judge for j in judged.made.values()) if judged else {}
    now = dict.fromkeys(p.rag.model.name for p in (plan.judges or {}).values() if p.rag.model is not None)
    return [*(name for name in now if name in made), *(name for name in made if name not in now)]
