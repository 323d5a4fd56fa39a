"""MAVIS: which judgement goes into which figure."""

from __future__ import annotations

from evaluation.tasks import mavis
from evaluation.tasks.items import SourceItem
from evaluation.tasks.questions import GoldQuestion

ITEMS = {"t": SourceItem("t", "text", "Ferries burn oil."), "i": SourceItem("i", "image")}
QUESTION = GoldQuestion(
    "q", "What burns?", "Oil.", (), more={"gold": {"t": "text"}, "facts": ("Oil burns.",), "items": ITEMS}
)
SAID = {
    "answer": "Oil burns. It smokes.",
    "cited": [{"document": "t"}, {"document": "i"}],
    "sentences": [{"text": "Oil burns.", "citations": [0, 1]}, {"text": "It smokes.", "citations": [1]}],
}


def test_of_several_documents_the_first_judgement_is_of_all_and_each_has_one_of_its_own() -> None:
    judged = {
        "grounded:0:0": 1.0, "grounded:0:1": 0.5, "grounded:0:2": 0.0, "grounded:1:0": 0.5,
    }  # fmt: skip
    assert set(judged) <= {rubric.key for rubric in mavis.rubrics(QUESTION, SAID)}
    found = mavis.figures(QUESTION, SAID, judged)
    assert found["Groundedness recall"] == (1.0 + 0.5) / 2
    assert found["Groundedness precision"] == ((0.5 + 0.0) / 2 + 0.5) / 2


def test_groundedness_is_told_apart_by_what_is_cited() -> None:
    found = mavis.figures(QUESTION, SAID, {"grounded:0:1": 1.0, "grounded:0:2": 0.0, "grounded:1:0": 0.5})
    assert (found["Groundedness text"], found["Groundedness image"]) == (1.0, 0.25)
