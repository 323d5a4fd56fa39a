"""BBox-DocVQA (arXiv 2511.15090): how its lines are read, and IoU as its published code computes it, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.metrics import PageBox
from evaluation.tasks import TASKS, GoldQuestion
from plugins.research.tasks.bbox_docvqa import region_iou
from tests.evaluation import data_sets

WHOLE, HALF, QUARTER = (0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 1.0, 0.5), (0.0, 0.0, 0.5, 0.5)
AWAY = (0.6, 0.6, 1.0, 1.0)


@pytest.mark.parametrize(
    ("gold", "cited", "wanted"),
    [
        ([(1, HALF)], [(1, HALF)], 1),
        ([(1, HALF)], [(1, QUARTER)], 1 / 2),  # 0.25 / 0.5
        ([(1, HALF)], [], 0),
        ([(1, HALF)], [(2, HALF)], 0),  # (0 + 0) / 2 pages
        ([(1, HALF)], [(1, HALF), (2, AWAY)], 1 / 2),  # (1 + 0) / 2 pages
        ([(1, HALF)], [(1, QUARTER), (1, AWAY), (1, HALF)], 1),  # the best of a page counts, the others cost nothing
        ([(1, QUARTER), (1, AWAY)], [(1, QUARTER)], 1 / 2),  # (1 + 0) / 2 boxes
        ([(1, HALF), (2, WHOLE)], [(1, HALF), (2, HALF)], 3 / 4),  # (1 + 0.5 / 1) / 2 pages
        ([(1, QUARTER), (1, AWAY), (2, WHOLE)], [(1, QUARTER), (2, WHOLE)], 3 / 4),  # ((1 + 0) / 2 + 1) / 2 pages
    ],
)
def test_the_iou_of_a_question(
    gold: list[tuple[int, tuple[float, float, float, float]]],
    cited: list[tuple[int, tuple[float, float, float, float]]],
    wanted: float,
) -> None:
    assert region_iou([PageBox(*b) for b in gold], [PageBox(*b) for b in cited]) == pytest.approx(wanted)


def read(folder: Path, *more: object) -> tuple[GoldQuestion, ...]:
    return TASKS["bbox-docvqa"].load(data_sets.bbox_docvqa(folder, *more), None, folder, None).questions


def test_figures_are_of_the_cited_boxes(tmp_path: Path) -> None:
    """Gold is 0.9 x 0.5 of the page; of two citations the second is right, and the first has half of it."""
    given, _ = read(tmp_path)
    cites = {
        "answer": "It leaves at noon.",
        "citations": [{"page": 1, "bbox": b} for b in ([0.1, 0, 1, 0.25], [0.1, 0, 1, 0.5])],
    }
    figures = TASKS["bbox-docvqa"].figures(given, cites)
    assert {name: figures[name] for name in ("IoU", "IoU@.5", "IoU@.7", "IoU first", "Ans*")} == {
        "IoU": pytest.approx(1), "IoU@.5": 1, "IoU@.7": 1, "IoU first": pytest.approx(0.5), "Ans*": 1,
    }  # fmt: skip
