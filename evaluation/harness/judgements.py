"""The judging of a run's answers by the models of other profiles."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

from evaluation.console import print_progress
from evaluation.errors import HOPELESS, Unshowable
from evaluation.harness.ask import in_order
from evaluation.harness.judge import Judgement, Judgements, RubricJudge, model_of
from evaluation.harness.plan import Plan, RunFiles
from evaluation.harness.predictions import Predictions
from evaluation.tasks import GoldQuestion, Judged, PageRegion, Picture
from indexing import BBox, Collection, IndexingError
from indexing.workers import Job, Workers
from rag import RagError, crop_box

if TYPE_CHECKING:
    from PIL import Image

WIDTH = 1000
"""The width in pixels of a page from which regions are cut out."""


def judgements(
    plan: Plan,
    files: RunFiles,
    predictions: Predictions,
    questions: Sequence[GoldQuestion],
    collection: Collection | None,
    down: dict[str, RagError],
) -> Judgements | None:
    """Let every judge judge the cases it has not judged yet; return all judgements, None for a task without rubrics.

    A judge that has become unavailable is not asked again: its error is put into `down` under the name of its profile.
    """
    task = plan.task
    if not isinstance(task, Judged):
        if plan.judges:
            print(f"task {task.NAME} has no figure that needs a judge", file=sys.stderr)
        return None
    results = Judgements(files.judgements)
    with _pictures(plan, collection) as picture:
        for name, profile in (plan.judges or {}).items():
            if name in down:
                continue
            judge = RubricJudge(model_of(name, profile), picture)
            todo = [
                (q.qid, rubric)
                for q in questions
                if q.qid in predictions.rows
                for rubric in results.missing(q.qid, judge.name, task.rubrics(q, predictions.rows[q.qid]))
            ]

            def judge_case(item: tuple[str, Any], judge: RubricJudge = judge) -> tuple[str, Judgement]:
                return item[0], judge.judge(item[1])

            limit = profile.rag.model.concurrency if profile.rag.model else 1
            try:
                for number, (qid, judgement) in enumerate(in_order(judge_case, todo, limit), 1):
                    results.add(qid, judgement)
                    print_progress(f"{judge.name}: judgements", number, len(todo))
            except HOPELESS as error:
                down[name] = error
            if todo:
                print(file=sys.stderr)
    return results


@contextmanager
def _pictures(plan: Plan, collection: Collection | None) -> Generator[Picture]:
    """Yield a function that draws a region of a page: from the collection or, without one, from the data's files."""
    settings, drawing = plan.variants[0].profile.indexing, threading.Lock()  # judges ask from several threads
    with Workers(1, settings) as workers:

        def page(region: PageRegion) -> Image.Image:
            if collection is not None:
                return collection.draw_page(region.document, region.page, WIDTH)
            from PIL import Image

            job = Job(plan.gold.files[region.document], None, settings)
            return Image.open(BytesIO(workers.draw(job, region.page, WIDTH)))

        def crop(region: PageRegion) -> Image.Image:
            try:
                box = BBox(*region.bbox)
                with drawing:
                    image = page(region)
            except (IndexingError, KeyError, ValueError) as error:  # no document of the data, no box on a page
                raise Unshowable(f"page {region.page} of {region.document} cannot be drawn ({error})") from None
            return crop_box(image, box, max(image.size))

        yield crop


def missing_scores(
    plan: Plan, judgements: Judgements | None, predictions: Predictions, questions: Sequence[GoldQuestion]
) -> tuple[str, ...]:
    """Return a note if the first judge gave no score in some cases, else an empty tuple."""
    names, task = judge_names(plan, judgements)[:1], plan.task
    if judgements is None or not names or not isinstance(task, Judged):
        return ()
    present_questions = [q for q in questions if q.qid in predictions.rows]
    keys_of = {q.qid: [rubric.key for rubric in task.rubrics(q, predictions.rows[q.qid])] for q in present_questions}
    blank = {qid: sum(key not in judgements.of(qid, names[0]) for key in keys) for qid, keys in keys_of.items()}
    if not any(blank.values()):
        return ()
    count, total, of = sum(blank.values()), sum(map(len, keys_of.values())), sum(map(bool, blank.values()))
    of_what = f"{of} of {len(present_questions)} questions, and their means are taken over the others"
    return (f"{names[0]} gave no score in {count} of {total} cases: figures that need one are blank for {of_what}",)


def judge_names(plan: Plan, judgements: Judgements | None) -> list[str]:
    """Return the names of the judges, first the one whose scores count: those of the plan, then of earlier runs."""
    judging = dict.fromkeys(j.judge for j in judgements.by_key.values()) if judgements else {}
    now = dict.fromkeys(p.rag.model.name for p in (plan.judges or {}).values() if p.rag.model is not None)
    return [*(name for name in now if name in judging), *(name for name in judging if name not in now)]
