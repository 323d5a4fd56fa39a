"""MCiteBench: which judgement goes into which figure, on which scale."""

from __future__ import annotations

import re

import pytest

from evaluation.harness import rubric_prompt
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


@pytest.mark.parametrize("kind", ["locating", "explanation"])
def test_answers_of_both_kinds_are_rated_0_1_or_2(kind: str) -> None:
    """The published prompts rate both kinds of question so; Acc is the sum of ratings / (2 x their number)."""
    asked = GoldQuestion("q", "What burns?", "Oil.", ("a",), groups={"question type": (kind,)}, more=QUESTION.more)
    said = {"answer": "Oil and tar."}
    (rubric,) = mcitebench.rubrics(asked, said)
    assert (rubric.key, rubric.prompt, rubric.scale) == ("Acc", f"mcite_{kind}", (0, 1, 2))
    assert [mcitebench.figures(asked, said, {"Acc": rating})["Acc"] for rating in (0, 1, 2)] == [0, 0.5, 1]
    assert mcitebench.figures(asked, {"answer": ""}, {})["Acc"] == 0
    assert mcitebench.figures(asked, said, {})["Acc"] is None


@pytest.mark.parametrize("name", ["mcite_locating", "mcite_explanation", "support", "support_single"])
def test_a_prompt_explains_every_grade_of_its_scale(name: str) -> None:
    scales = {"support": {"0", "0.5", "1"}, "support_single": {"0", "1"}}
    told = re.findall(r"^(\d[\d.]*) ", rubric_prompt(name).text, re.MULTILINE)
    assert (set(told), len(told)) == (scales.get(name, {"0", "1", "2"}), len(set(told)))
