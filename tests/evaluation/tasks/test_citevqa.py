"""CiteVQA: which boxes and which judgements go into which figure (arXiv 2605.12882, appendix C.3)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluation.tasks import citevqa
from evaluation.tasks.questions import GoldQuestion
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
        ([CRUCIAL], 1, 1, 2 / 3),  # half of B_gt: 2 x 1 x 1/2 / (1 + 1/2)
        ([SUPPLEMENTAL], 0, 1, 2 / 3),  # no mistake, but nothing crucial
        ([CRUCIAL, NEITHER], 1, 1 / 2, 1 / 2),
        ([NEITHER], 0, 0, 0),
    ],
)
def test_precision_and_f1_are_over_crucial_and_supplemental_boxes_and_recall_over_crucial_ones(
    tmp_path: Path, cited: list[list[int]], rec: float, prec: float, f1: float
) -> None:
    found = citevqa.figures(asked(tmp_path, "supplemental"), cites(*cited))
    assert (found["Rec"], found["Prec"], found["F1"]) == pytest.approx((rec, prec, f1))


@pytest.mark.parametrize("word", ["supplemental", "Auxiliary", "supporting", "other", "unnecessary", "no", 0, False])
def test_evidence_by_any_word_for_supplemental_is_never_crucial(tmp_path: Path, word: Any) -> None:
    question = asked(tmp_path, word)
    assert (len(question.boxes), len(question.more["supplemental"])) == (1, 1)


@pytest.mark.parametrize("word", ["crucial", " Essential", "necessary", 1, True])
def test_evidence_by_any_word_for_crucial_is_crucial(tmp_path: Path, word: Any) -> None:
    assert len(asked(tmp_path, word).boxes) == 2
