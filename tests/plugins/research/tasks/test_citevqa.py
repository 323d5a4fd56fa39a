"""CiteVQA and BBox-DocVQA: boxes are scored as their papers do."""

from pathlib import Path
from typing import Any

import pytest

from evaluation.tasks import TASKS
from evaluation.tasks.questions import GoldQuestion
from plugins.research.tasks import citevqa
from tests.evaluation import data_sets

CRUCIAL, SUPPLEMENTAL, NEITHER = [0, 0, 500, 200], [0, 300, 500, 500], [0, 800, 500, 900]


def asked(tmp_path: Path, *necessities: Any) -> GoldQuestion:
    """A question with crucial evidence and, of each of these words, evidence in the place of SUPPLEMENTAL."""
    evidence = [{"source_page_id": 0, "bbox": CRUCIAL, "type": "text", "necessity": "crucial"}]
    evidence += [{"source_page_id": 0, "bbox": SUPPLEMENTAL, "type": "text", "necessity": n} for n in necessities]
    data_sets.pdfs(tmp_path / "pdf")
    data_sets.lines(tmp_path / "CiteVQA.jsonl", data_sets.citevqa_row("1", Evidence=evidence))
    (question,) = citevqa.load(tmp_path, None, tmp_path, None).questions
    return question


def cites(*boxes: list[int]) -> dict[str, Any]:
    """An answer that cites these boxes on page 1."""
    return {"answer": "Nine.", "citations": [{"page": 1, "bbox": [v / 1000 for v in box]} for box in boxes]}


@pytest.mark.parametrize(
    ("cited", "rec", "prec", "f1"),
    [
        ([CRUCIAL, SUPPLEMENTAL], 1, 1, 1),  # both are in B_gt
        ([CRUCIAL], 1, 1, 1),  # 2 x 1 x 1 / (1 + 1): the supplemental box need not be cited
        ([SUPPLEMENTAL], 0, 1, 0),  # no mistake, but nothing crucial: 2 x 1 x 0 / (1 + 0)
        ([CRUCIAL, NEITHER], 1, 1 / 2, 2 / 3),  # 2 x 1/2 x 1 / (1/2 + 1)
        ([NEITHER], 0, 0, 0),
    ],
)
def test_f1_is_of_precision_over_both_kinds_of_boxes_and_the_reported_recall_over_crucial_ones(
    tmp_path: Path, cited: list[list[int]], rec: float, prec: float, f1: float
) -> None:
    """CiteVQA, arXiv 2605.12882, appendix C.3: F1 = 2 Prec Rec / (Prec + Rec), Rec being that of the main table."""
    found = citevqa.figures(asked(tmp_path, "supplemental"), cites(*cited))
    assert (found["Rec"], found["Prec"], found["F1"]) == pytest.approx((rec, prec, f1))


@pytest.mark.parametrize("word", ["supplemental", "Auxiliary", "supporting", "other", "unnecessary", "no", 0, False])
def test_evidence_by_any_word_for_supplemental_is_never_crucial(tmp_path: Path, word: Any) -> None:
    question = asked(tmp_path, word)
    assert (len(question.boxes), len(question.more["supplemental"])) == (1, 1)


def two_sentences() -> dict[str, Any]:
    """An answer whose first sentence cites two boxes, whose second cites one of them and one on a page 9 of 2."""
    row = cites(CRUCIAL, SUPPLEMENTAL, NEITHER)
    row["citations"][2]["page"] = 9
    row["sentences"] = [{"text": "Nine.", "citations": [0, 1]}, {"text": "A day.", "citations": [1, 2]}]
    return row


def test_relevance_is_the_mean_over_pairs_of_a_sentence_and_a_box(tmp_path: Path) -> None:
    """Pairs: (Nine, crucial) 5, (Nine, supplemental) 2, (A day, supplemental) 4, and (A day, nowhere), which is 0."""
    question, row = asked(tmp_path, "supplemental"), two_sentences()
    found = citevqa.figures(question, row, {"Ans": 5, "Rel:0": 5, "Rel:1": 2, "Rel:2": 4})
    assert found["Rel"] == pytest.approx((5 + 2 + 4 + 0) / 4 / 5)
    assert citevqa.figures(question, row, {"Ans": 5, "Rel:0": 5, "Rel:1": 2})["Rel"] is None
    assert citevqa.figures(question, cites(), {"Ans": 5})["Rel"] == 0
    assert citevqa.figures(question, {"answer": ""}, {})["Rel"] == 0


def test_each_pair_is_judged_by_the_picture_of_its_box_with_the_standard_answer_shown(tmp_path: Path) -> None:
    question = asked(tmp_path, "supplemental")
    _, *pairs = citevqa.rubrics(question, two_sentences())
    assert [(r.key, r.values["statement"]) for r in pairs] == [
        ("Rel:0", "Nine."), ("Rel:1", "Nine."), ("Rel:2", "A day."),
    ]  # fmt: skip
    assert {r.values["gold"] for r in pairs} == {question.answer}
    assert [r.regions[0].bbox for r in pairs] == [(0, 0, 0.5, 0.2), (0, 0.3, 0.5, 0.5), (0, 0.3, 0.5, 0.5)]
    assert all(r.pictured and len(r.regions) == 1 for r in pairs)


WHOLE, HALF, QUARTER = (0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 1.0, 0.5), (0.0, 0.0, 0.5, 0.5)


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
