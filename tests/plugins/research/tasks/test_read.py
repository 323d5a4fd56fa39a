"""Reading the benchmarks' published forms: what is good is read, what is not is named with its place, and counted."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import GoldUnreadable
from evaluation.tasks.protocol import TASKS
from evaluation.tasks.questions import Gold
from plugins.research.tasks import citevqa
from tests.evaluation import data_sets


def load(name: str, folder: Path) -> Gold:
    return TASKS[name.replace("_", "-")].load(folder, None, folder / "material", None)


MILL = "mill.pdf"
BOX = [1, 1, 9, 9]


def question(**other: Any) -> dict[str, Any]:
    """A document of MMDocIR with one question."""
    return {"doc_name": MILL, "questions": [data_sets.mmdocir_question(**other)]}


def evidence(*each: Any) -> dict[str, Any]:
    """A question of CiteVQA with this evidence."""
    return data_sets.citevqa_row("9", Evidence=list(each))


def visa_row(**other: Any) -> dict[str, Any]:
    return data_sets.visa_row("x", **other)


WIDE = {"page": 0, "page_size": data_sets.PAGE, "bbox": [0, 0, 600, 10]}
LATE = {"source_page_id": 2, "bbox": BOX, "necessity": "supplemental"}
UNTOLD = {k: v for k, v in visa_row(candidates=["apples.png", "ferry.png"]).items() if k != "oracle"}
BAD: list[tuple[str, Any, str]] = [
    ("mmdocir", {"doc_name": "gone.pdf", "questions": [{}, {}]}, "line 3: gone.pdf is not in"),
    ("mmdocir", {"document": MILL, "questions": []}, "line 3: has no 'doc' (it has: document, questions)"),
    ("mmdocir", question(page_id=[]), "names no page"),
    ("mmdocir", question(layout_mapping=[WIDE]), "not on a page of 420 x 595"),
    ("citevqa", data_sets.citevqa_row("9", PDF_Source=["x/gone.pdf"]), "entry 3: x/gone.pdf is not in"),
    ("citevqa", data_sets.citevqa_row("1"), "entry 3: its id '1' is that of CiteVQA.json, entry 1"),
    ("citevqa", evidence(), "has no crucial evidence"),
    (
        "citevqa",
        evidence({"source_page_id": 0, "bbox": [0.1, 0.1, 0.9, 0.2]}),
        "is in fractions of the page, not on one of 1000 x 1000",
    ),
    ("citevqa", evidence({"source_doc_index": 4, "source_page_id": 0, "bbox": BOX}), "is of document 5 of 1"),
    ("citevqa", evidence({"source_page_id": 2, "bbox": BOX}), "on page 3, counted from 1, but mill.pdf has 2"),
    ("citevqa", evidence({"source_page_id": 0, "bbox": BOX, "necessity": "unneeded"}), "'unneeded' is unknown"),
    ("citevqa", evidence({"source_page_id": 0, "bbox": BOX}, LATE), "evidence 1 is on page 3, counted from 1, of 2"),
    ("citevqa", evidence("page 3"), "evidence 1: 'page 3' is not an object"),
    ("bbox_docvqa", data_sets.bbox_docvqa_row(evidence_page=[3]), "the image of page 3 of cs/2401.00001 is missing"),
    ("bbox_docvqa", data_sets.bbox_docvqa_row(doc_name="../x"), "its paper 'cs/../x' is not in"),
    ("bbox_docvqa", data_sets.bbox_docvqa_row(bbox=[]), "has 1 evidence pages, and boxes of 0"),
    ("bbox_docvqa", data_sets.bbox_docvqa_row(bbox=[[[0, 0, 990, 9]]]), "not on a page of 900 x 600"),
    ("visa", "{oops", "line 4: is not JSON"),
    ("visa", UNTOLD, "line 4: has no 'oracle'"),
    ("visa", visa_row(candidates=["gone.png"]), "line 4: gone.png is not in"),
    ("visa", visa_row(oracle=3), "its oracle 3 is not one of its 1 candidates"),
    ("visa", visa_row(short_answer=""), "has an oracle, but no answer"),
    ("visa", visa_row(bbox=[800, 10, 950, 20]), "not on a page of 900 x 600"),
    ("visa", visa_row(bbox=[0.1, 0.1, 0.9, 0.2]), "in fractions of the page, not on one of 900 x 600"),
    ("visa", visa_row(image_size=[60, 90]), "its image_size is 60 x 90, but ferry.png has 900 x 600"),
    ("mcitebench", data_sets.mcite_row("x", evidence_contents=[]), "line 3: has no evidence"),
    ("mcitebench", data_sets.mcite_row("x", distractor_contents=["images/gone.jpg"]), "gone.jpg of paper is not"),
    ("mavis", data_sets.mavis_row("x", pos_documents=["t-9"]), "its document t-9 is not among"),
    ("mavis", data_sets.mavis_row("x", A=[]), "has no answer or no document"),
    ("mavis", data_sets.mavis_row("x", image="gone.png"), "its image gone.png is not in"),
    ("mavis", data_sets.mavis_row("x", sub_answers="Nine."), "'sub_answers' is \"Nine.\", expected a list"),
]


@pytest.mark.parametrize(("name", "bad", "named"), BAD, ids=[f"{name}-{n}" for n, (name, *_) in enumerate(BAD)])
def test_what_is_no_good_is_named_and_the_rest_is_read(tmp_path: Path, name: str, bad: Any, named: str) -> None:
    clean = load(name, getattr(data_sets, name)(tmp_path / "clean"))
    found = load(name, getattr(data_sets, name)(tmp_path / "bad", bad))
    assert [q.qid for q in found.questions] == [q.qid for q in clean.questions]
    assert len(found.problems) == 1
    assert named in found.problems[0]
    assert found.left_out == (2 if "gone.pdf is not in" in named and name == "mmdocir" else 1)


@pytest.mark.parametrize("name", [name for name in TASKS if name != "questions"])
def test_an_empty_folder_says_which_file_is_missing(tmp_path: Path, name: str) -> None:
    with pytest.raises(GoldUnreadable, match=r"has no .*(jsonl?|Parquet)"):
        load(name, tmp_path)


def test_another_systems_outputs_are_read_with_what_cannot_be(tmp_path: Path) -> None:
    gold = load("citevqa", data_sets.citevqa(tmp_path))
    said = 'Forty. <bbox doc="2" page="1" x1="60" y1="80" x2="900" y2="125"/>\n\n<bbox page="1" x1="9" y1="9"/>'
    row = citevqa.foreign(gold.questions[1], {"index": "2", "model_predict": said})
    assert row["citations"] == [{"page": 1, "bbox": [0.06, 0.08, 0.9, 0.125], "doc": 2}]
    assert row["answer"] == "Forty."
    assert len(row["notes"]) == 1
    figures = citevqa.figures(gold.questions[1], row)
    assert (figures["Rec"], figures["Prec"], figures["Page"], figures["Ans"], figures["SAA"]) == (1, 1, 1, None, None)
    fractions = {"index": "2", "model_predict": '4. <bbox page="1" x1="0.06" y1="0.08" x2="0.9" y2="1"/>'}
    assert "are read as thousandths of the page" in citevqa.foreign(gold.questions[1], fractions)["notes"][0]
    written = json.loads(citevqa.output_line(gold.questions[1], row))
    assert citevqa.foreign(gold.questions[1], written)["citations"] == row["citations"]
