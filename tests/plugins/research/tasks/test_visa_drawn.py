"""The box that the model of method visa draws: kept in its line, and scored beside the element that took its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation import cli as command
from evaluation.metrics.core import PageBox
from evaluation.tasks.prediction import nothing, prediction
from evaluation.tasks.questions import GoldQuestion
from indexing import BBox
from plugins.research.tasks import visa
from rag import Answer
from rag.types import DrawnBox
from tests.evaluation import data_sets
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import refuses, says

GOLD = BBox(0.1, 0.2, 0.9, 0.4)
DRAWN = DrawnBox("b", 1, GOLD)


def question(*documents: str) -> GoldQuestion:
    """Asked of these documents, of which `b` answers."""
    boxes = (PageBox(1, GOLD.as_tuple(), documents.index("b") + 1),) if "b" in documents else ()
    return GoldQuestion("q", "When?", "at noon" if boxes else "", documents, frozenset(b.page for b in boxes), boxes)


def row(asked: GoldQuestion, drawn: DrawnBox | None = DRAWN, **other: Any) -> dict[str, Any]:
    answer = Answer("When?", "text", (), (), 0.5, {}, "0" * 12, drawn=drawn, **{"method": "visa", **other})
    return prediction(asked, answer, 1.0)


def test_a_line_keeps_what_was_drawn_with_its_document() -> None:
    assert row(question("b"))["drawn"] == {"page": 1, "bbox": [0.1, 0.2, 0.9, 0.4]}
    assert row(question("a", "b"))["drawn"] == {"page": 1, "bbox": [0.1, 0.2, 0.9, 0.4], "doc": 2}
    assert row(question("a"))["drawn"]["page"] == 0
    assert row(question("b"), None)["drawn"] is None
    assert "drawn" not in row(question("b"), None, method="quote")


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


def test_where_nothing_answers_saying_so_is_right_and_any_box_is_wrong() -> None:
    """VISA, Full setting: 41.6 with and 37.7 without the questions that lost their answer; so these count as well."""
    none = visa.figures(question("a"), row(question("a"), None))
    assert (none["EM"], none["Box drawn"], none["Box"]) == (1, 1, 1)
    said = row(question("a"), DrawnBox("a", 1, GOLD)) | {"abstained": False, "answer": "at noon"}
    answered = visa.figures(question("a"), said)
    assert (answered["EM"], answered["Box drawn"], answered["Box"]) == (0, 0, 0)
    failed = visa.figures(question("a"), nothing(question("a"), "too long", "visa"))
    assert (failed["EM"], failed["Box drawn"]) == (0, 0)


@pytest.mark.slow
def test_a_run_of_method_visa_scores_the_models_own_box(tmp_path: Path) -> None:
    """The gold box is wider than the line inside it: the element that takes its place does not meet it."""
    drawn = {"answerable": True, "answer": "At noon.", "page": 1, "box": [44, 333, 978, 483]}
    none = {"answerable": False, "answer": "", "page": 0, "box": [0, 0, 0, 0]}
    with ScriptedServer(says(drawn), refuses(400, "not today"), says(none)) as server:
        model = {"base_url": server.url, "name": "scripted", "concurrency": 1, "retries": 0}
        settings = {"indexing": {"workers": 1, "visual": "none"}, "rag": {"judge": "rules", "model": model}}
        (tmp_path / "profile.yaml").write_text(json.dumps(settings))
        words = ["visa", "--data", str(data_sets.visa(tmp_path / "data")), "--out", str(tmp_path / "run")]
        words += ["--home", str(tmp_path / "home"), "--profile", str(tmp_path / "profile.yaml"), "--method", "visa"]
        assert command.main(words) == 0
        assert server.unexpected == []
    rows = [json.loads(line) for line in (tmp_path / "run" / "scores.jsonl").read_text().splitlines()]
    found = {each["qid"]: each["figures"] for each in rows}
    assert [found[qid]["Box drawn"] for qid in ("v1", "v2", "v3")] == [1, 0, 1]
    assert (found["v1"]["EM"], found["v1"]["Box"], found["v3"]["EM"]) == (1, 0, 1)
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["figures"]["all"]["Box drawn"]["n"] == 3
