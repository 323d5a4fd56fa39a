"""The boxes of ViDoRe v3 (arXiv 2601.08620): the published form, and F1 of zones worked out by hand."""

from pathlib import Path

import pytest

from evaluation.tasks import TASKS
from plugins.research.tasks.vidore_boxes import Zone, dice
from tests.evaluation import data_sets

HALF, QUARTER, AWAY = (0.0, 0.0, 1.0, 0.5), (0.0, 0.0, 0.5, 0.5), (0.6, 0.6, 1.0, 1.0)


@pytest.mark.parametrize(
    ("marked", "cited", "wanted"),
    [
        ([HALF], [HALF], 1),
        ([HALF], [QUARTER], 2 / 3),  # 2 * 0.25 / (0.5 + 0.25)
        ([HALF], [QUARTER, (0.25, 0.0, 1.0, 0.5)], 1),  # boxes that overlap count once
        ([HALF], [AWAY], 0),
        ([HALF], [], 0),
        ([QUARTER, AWAY], [QUARTER], 50 / 66),  # 2 * 0.25 / (0.41 + 0.25)
    ],
)
def test_the_overlap_of_zones(marked: Zone, cited: Zone, wanted: float) -> None:
    assert dice(marked, cited) == pytest.approx(wanted)


def test_f1_is_of_the_person_who_agrees_best_and_a_page_too_many_costs(tmp_path: Path) -> None:
    """On page 0 one person marked all of it in two boxes, another its upper half; the French question has no box."""
    gold = TASKS["vidore-boxes"].load(data_sets.vidore_boxes(tmp_path / "data"), None, tmp_path / "material", None)
    given, among = gold.questions
    assert (len(given.documents), len(among.documents), gold.left_out) == (2, 3, 1)
    assert "question 8: its pages have no box" in gold.problems[0]

    def scored(*citations: tuple[int, list[float]]) -> tuple[float | None, float | None]:
        cites = {"citations": [{"page": 1, "bbox": box, "doc": doc} for doc, box in citations]}
        figures = TASKS["vidore-boxes"].figures(given, cites)
        return figures["F1"], figures["F1 marked"]

    assert scored((1, [0, 0, 1, 0.25])) == pytest.approx((2 / 3, 2 / 3))  # of a half; of the whole page 2 / 5
    assert scored((1, [0, 0, 1, 0.4]), (1, [0, 0.4, 1, 1])) == pytest.approx((1, 1))  # the two are the whole page
    assert scored((1, [0, 0, 1, 0.5]), (2, [0, 0, 1, 1])) == pytest.approx((1 / 2, 1))  # (1 + 0) / 2 pages
    assert scored() == (0, 0)
