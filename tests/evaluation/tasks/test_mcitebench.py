"""MCiteBench: which judgement goes into which figure."""

from __future__ import annotations

from evaluation.tasks import mcitebench
from evaluation.tasks.items import SourceItem
from evaluation.tasks.questions import GoldQuestion

ITEMS = {"a": SourceItem("a", "text", "Ferries burn oil."), "b": SourceItem("b", "figure")}
QUESTION = GoldQuestion("q", "What burns?", "Oil.", ("a", "b"), more={"gold": frozenset({"a"}), "items": ITEMS})


def test_a_sentence_that_cites_nothing_has_no_recall() -> None:
    said = {
        "cited": [{"document": "a"}],
        "sentences": [{"text": "Oil burns.", "citations": [0]}, {"text": "It smokes.", "citations": []}],
    }
    assert mcitebench.figures(QUESTION, said, {"recall:0": 1.0, "precision:0:0": 1.0})["Citation recall"] == 0.5
