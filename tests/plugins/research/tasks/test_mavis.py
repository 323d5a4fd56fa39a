"""MAVIS: which judgement goes into which figure."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.tasks.questions import GoldQuestion
from plugins.research.tasks import mavis
from plugins.research.tasks.items import SourceItem

ITEMS = {"t": SourceItem("t", "text", "Ferries burn oil."), "i": SourceItem("i", "image")}
QUESTION = GoldQuestion(
    "q", "What burns?", "Oil.", (), more={"gold": {"t": "text"}, "facts": ("Oil burns.",), "items": ITEMS}
)
SAID = {
    "answer": "Oil burns. It smokes.",
    "cited": [{"document": "t"}, {"document": "i"}],
    "sentences": [{"text": "Oil burns.", "citations": [0, 1]}, {"text": "It smokes.", "citations": [1]}],
}


UNCITED = {"text": "It is cheap.", "citations": []}


def test_groundedness_is_over_all_sentences_cited_or_not() -> None:
    """Section 4.2, (1/n) over all n: of three sentences the last cites nothing and has 0."""
    judged = {
        "grounded:0:0": 1.0, "grounded:0:1": 0.5, "grounded:0:2": 0.0, "grounded:1:0": 0.5,
    }  # fmt: skip
    said = {**SAID, "sentences": [*SAID["sentences"], UNCITED]}
    assert set(judged) <= {rubric.key for rubric in mavis.rubrics(QUESTION, said)}
    found = mavis.figures(QUESTION, said, judged)
    recall, precision = (1.0 + 0.5 + 0) / 3, ((0.5 + 0.0) / 2 + 0.5 + 0) / 3
    assert found["Groundedness recall"] == pytest.approx(recall)
    assert found["Groundedness precision"] == pytest.approx(precision)
    assert found["Groundedness F1"] == pytest.approx(2 * recall * precision / (recall + precision))


def test_the_models_own_citations_are_judged_beside_those_that_checking_left() -> None:
    """The model named the image for both; checking gave the first the text, and left the second nothing."""
    said = {
        "answer": "Oil burns. It is cheap.",
        "cited": [{"document": "t"}],
        "sentences": [{"text": "Oil burns.", "citations": [0]}, UNCITED],
        "evidence": [{"document": "t"}, {"document": "i"}],
        "drafts": [{"text": "Oil burns.", "named": [1]}, {"text": "It is cheap.", "named": [1, 0]}],
    }
    judged = {"grounded:0:0": 1.0, "own:0:0": 0.0, "own:1:0": 1.0, "own:1:1": 0.5, "own:1:2": 1.0}
    asked = [rubric.key for rubric in mavis.rubrics(QUESTION, said)]
    assert {key for key in asked if key.startswith(("grounded", "own"))} == set(judged)
    found = mavis.figures(QUESTION, said, judged)
    assert (found["Own groundedness recall"], found["Own groundedness precision"]) == (0.5, 0.375)
    assert found["Groundedness recall"] == 0.5


def test_relevance_is_judged_with_image_and_gold_answer(tmp_path: Path) -> None:
    question = replace(QUESTION, image=tmp_path / "ferry.png")
    rubric = next(r for r in mavis.rubrics(question, SAID) if r.key == "relevance:0")
    assert (rubric.image, rubric.values["gold"]) == (tmp_path / "ferry.png", "Oil.")


def ranks(gold: dict[str, str], *ranked: str) -> dict[str, float | None]:
    """The figures of a ranking of texts (t...) and images (i...)."""
    items = {name: SourceItem(name, "text" if name[0] == "t" else "image") for name in {*gold, *ranked}}
    question = replace(QUESTION, more={"gold": gold, "facts": (), "items": items})
    return mavis.figures(question, {"ranked_ids": ranked})


def test_both_kinds_are_sought_in_one_list_with_one_ideal() -> None:
    """MAVIS, arXiv 2511.12142, Table 3 (retrieval): a text at rank 1 and an image at rank 2 cannot be ranked better.

    With a miss between: DCG 1 + 1/log2(4) = 1.5 over the ideal 1 + 1/log2(3) = 1.63093.
    """
    gold = {"t1": "text", "i1": "image"}
    assert ranks(gold, "t1", "i1", "t2")["NDCG@10"] == 1
    found = ranks(gold, "t1", "t2", "i1")
    assert found["NDCG@10"] == pytest.approx(1.5 / 1.6309298)
    assert (found["NDCG@10 text"], found["NDCG@10 image"]) == (1, 1)  # each among its own kind
    three = {"t1": "text", "t2": "text", "t3": "text", "i1": "image"}
    assert ranks(three, "t1", "t2", "t3")["Recall@100"] == 0.75  # 3 texts of 3 and no image of 1
