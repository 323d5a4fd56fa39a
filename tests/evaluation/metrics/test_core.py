"""The figures of the papers: by hand, by their properties, and against the scorer of the development set."""

import doctest
import importlib.util
import math
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics import core as metrics
from evaluation.metrics.core import PageBox
from evaluation.tasks import mmdocir
from evaluation.tasks.questions import GoldQuestion

SCORER = Path(__file__).resolve().parents[4] / "shared" / "eval" / "score.py"
LEFT = PageBox(1, (0.0, 0.0, 0.5, 1.0))
MIDDLE = PageBox(1, (0.1, 0.0, 0.6, 1.0))
RIGHT = PageBox(1, (0.5, 0.0, 1.0, 1.0))

grid = st.integers(0, 4).map(lambda n: n / 4)
boxes = st.builds(lambda *v: [min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]), max(v[1], v[3])], *[grid] * 4)
page_boxes = st.lists(st.fixed_dictionaries({"page": st.integers(0, 3), "bbox": boxes}), max_size=4)
said = st.one_of(
    st.sampled_from(["6", "['a', 'b b']", "['3', '2.50']", "12%", "$1,200", "-7", "Not answerable", "", "?!", "[]"]),
    st.text("ab1 ,.$%[]'-", max_size=12),
)


def test_the_examples_in_the_docstrings_hold() -> None:
    found = doctest.testmod(metrics)
    assert found.attempted >= 4
    assert found.failed == 0


def test_boxes_meet_by_intersection_over_union() -> None:
    assert metrics.iou(LEFT.bbox, MIDDLE.bbox) == pytest.approx(0.4 / 0.6)
    assert metrics.iou(LEFT.bbox, RIGHT.bbox) == 0.0
    assert metrics.count_meeting([LEFT, RIGHT], [MIDDLE]) == 1
    assert metrics.count_meeting([LEFT], [PageBox(2, LEFT.bbox)]) == 0


def test_citations_are_scored_by_the_boxes_they_meet() -> None:
    cited = [MIDDLE, RIGHT, PageBox(2, LEFT.bbox)]
    assert metrics.citation_recall([LEFT], cited) == 1.0
    assert metrics.citation_precision([LEFT], cited) == pytest.approx(1 / 3)
    assert metrics.f1(1 / 3, 1.0) == pytest.approx(0.5)
    assert metrics.box_recall([LEFT], [RIGHT, MIDDLE], 1) == 0.0
    assert metrics.cited_pages({1, 4}, cited) == 0.5


@pytest.mark.parametrize(
    ("gold", "answer", "share"),
    [
        ("$1,200", "It cost 1200.0 in all.", 1.0), ("1,200", "It cost 1200.0 in all.", 0.0),
        ("1,200", "1 of 200", 1.0), ("12%", "12 of them", 1.0), ("12", "in 2012", 0.0), ("Ohio", "OHIO, Utah", 1.0),
        ("Ohio", "Ohioans", 0.0), ("['3', 'Ohio', 'x y']", "x y in Ohio", 2 / 3), ("unanswerable", "anything", None),
        ("{[]}", "a set that cannot be", 0.0),
    ],
)  # fmt: skip
def test_an_answer_holds_the_items_of_the_gold_answer(gold: str, answer: str, share: float | None) -> None:
    assert metrics.containment(gold, answer) == share


def test_means_come_with_their_standard_error() -> None:
    values = [0.0, 1.0, 1.0, 0.0]
    assert metrics.mean(values) == 0.5
    assert metrics.standard_error(values) == pytest.approx(math.sqrt(1 / 3) / 2)
    assert metrics.standard_error([1.0]) is None
    with pytest.raises(ValueError, match="no values"):
        metrics.mean([])


def test_quantiles_come_with_their_standard_error() -> None:
    values = [float(n) for n in range(1, 101)]
    assert metrics.quantile(values, 0.5) == 50.5
    assert metrics.quantile(values, 0.95) == 95.0
    assert metrics.quantile_error(values, 0.5) == 5.0  # ranks 45 and 55: sqrt(100 / 4) = 5 to each side
    assert metrics.quantile_error([3.0], 0.5) is None


@pytest.fixture(scope="module")
def scorer() -> ModuleType:
    """The scorer that the development set comes with."""
    if not SCORER.is_file():
        pytest.skip(f"no scorer to compare with: {SCORER} is missing")
    spec = importlib.util.spec_from_file_location("score", SCORER)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@given(
    gold=st.fixed_dictionaries({"answer": said, "pages": st.lists(st.integers(1, 3), max_size=3), "boxes": page_boxes}),
    predicted=st.fixed_dictionaries(
        {
            "ranked_pages": st.lists(st.integers(0, 3), max_size=6),
            "ranked_boxes": page_boxes,
            "citations": page_boxes,
            "answer": said,
            "abstained": st.booleans(),
            "latency_ms": st.floats(0, 1e4),
        }
    ),
)
def test_every_figure_is_that_of_the_scorer(
    scorer: ModuleType, gold: dict[str, Any], predicted: dict[str, Any]
) -> None:
    gold_boxes = tuple(PageBox(box["page"], tuple(box["bbox"])) for box in gold["boxes"])
    question = GoldQuestion("q", "?", gold["answer"], ("d",), frozenset(gold["pages"]), gold_boxes, {})
    wanted = scorer.score(gold, predicted)
    wanted["abstained"] = wanted.pop("abstain")
    found = mmdocir.figures(question, predicted)
    ours = {name: value for name, value in found.items() if not name.startswith("layout")}  # the scorer has none
    assert ours == {name: wanted[name] for name in ours}
