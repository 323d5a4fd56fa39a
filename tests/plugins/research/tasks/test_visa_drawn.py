"""The box that the model of method visa draws: kept in its line, and scored beside the element that took its place."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.metrics.core import PageBox
from evaluation.tasks.prediction import nothing, prediction
from evaluation.tasks.questions import GoldQuestion
from indexing import BBox
from plugins.research.tasks import visa
from rag import Answer
from rag.types import DrawnBox

GOLD = BBox(0.1, 0.2, 0.9, 0.4)
DRAWN = DrawnBox("b", 1, GOLD)


def question(*documents: str) -> GoldQuestion:
    """Asked of these documents, of which `b` answers."""
    boxes = (PageBox(1, GOLD.as_tuple(), documents.index("b") + 1),) if "b" in documents else ()
    return GoldQuestion("q", "When?", "at noon" if boxes else "", documents, frozenset(b.page for b in boxes), boxes)


def row(asked: GoldQuestion, drawn: DrawnBox | None = DRAWN, **other: Any) -> dict[str, Any]:
    answer = Answer("When?", "text", (), (), 0.5, {}, "0" * 12, drawn=drawn, **{"method": "visa", **other})
    return prediction(asked, answer, 1.0)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (row(question("a", "b")), 1),
        (row(question("a", "b"), DrawnBox("a", 1, GOLD)), 0),
        (row(question("a", "b"), DrawnBox("b", 1, BBox(0.1, 0.2, 0.3, 0.4))), 0),
        (row(question("a", "b"), None), 0),
        (nothing(question("a", "b"), "too long", "visa"), 0),
        (nothing(question("a", "b"), "too long"), None),
        (row(question("a", "b"), None, method="cot"), None),
    ],
)
def test_what_was_drawn_is_scored_and_nothing_counts_as_wrong(line: dict[str, Any], wanted: float | None) -> None:
    assert visa.figures(question("a", "b"), line)["Box drawn"] == wanted
