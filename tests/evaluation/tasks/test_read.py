"""Reading MMDocIR and questions of one's own: what is good is read, what is not is named with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.errors import GoldUnreadable
from evaluation.metrics.core import PageBox
from evaluation.tasks.questions import Gold
from evaluation.tasks.registry import TASKS
from tests.evaluation import data_sets


def load(name: str, folder: Path) -> Gold:
    return TASKS[name.replace("_", "-")].load(folder, None, folder / "material", None)


def test_mmdocir_counts_from_0_and_its_boxes_are_points(tmp_path: Path) -> None:
    gold = load("mmdocir", data_sets.mmdocir(tmp_path))
    assert (gold.problems, gold.left_out) == ((), 0)
    first, second = gold.questions
    assert (first.qid, first.pages, first.boxes) == ("mill.pdf-01", {2}, (PageBox(2, (0, 0, 1, 1)),))
    assert first.groups == {"modality": ("Table",), "domain": ("Farming",), "pages": ("text",)}
    assert (second.answer, second.pages) == ("1844", {1})


def test_a_gold_page_that_the_document_lacks_is_named(tmp_path: Path) -> None:
    data_sets.pdfs(tmp_path / "pdfs")
    asked = [data_sets.mmdocir_question(page_id=[number]) for number in (1, 77)]
    data_sets.lines(tmp_path / "MMDocIR_annotations.jsonl", {"doc_name": "mill.pdf", "questions": asked})
    gold = load("mmdocir", tmp_path)
    assert ([q.qid for q in gold.questions], gold.left_out) == (["mill.pdf-01"], 1)
    assert gold.problems[0].endswith("question 2: its gold is on page 78, counted from 1, but mill.pdf has 2")


def test_the_samples_are_read_whole() -> None:
    gold = TASKS["questions"].load(Path(__file__).parents[3] / "samples", None, Path("/nowhere"), None)
    assert gold.problems == ()
    assert len(gold.files) == 7
    unanswerable = [q for q in gold.questions if not q.documents]
    assert 0 < len(unanswerable) < len(gold.questions)


def test_a_date_in_the_place_of_a_question_of_the_samples_is_named(tmp_path: Path) -> None:
    (tmp_path / "questions.yaml").write_text("- {question: 2026-01-01, answer: null, document: null}\n")
    with pytest.raises(GoldUnreadable, match="question 1: 'question' is \"2026-01-01\", expected a str"):
        load("questions", tmp_path)
