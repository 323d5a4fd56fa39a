"""Reading gold files, good and bad, and turning answers into predictions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from evaluation.errors import GoldUnreadable
from evaluation.harness.summary import by_group
from evaluation.metrics.core import PageBox
from evaluation.tasks import mmdocir
from evaluation.tasks.mmdocir import read
from evaluation.tasks.prediction import nothing, prediction
from evaluation.tasks.questions import GoldQuestion
from indexing import BBox
from rag import Answer, Citation, Evidence, Sentence
from tests.support import fakes

BOX = {"page": 2, "bbox": [0.1, 0.2, 0.3, 0.4]}


def question(qid: str, **other: Any) -> dict[str, Any]:
    asked = {"qid": qid, "question": "how many?", "answer": "6", "modality": "['Table', 'Chart']", "pages": [2]}
    return asked | {"boxes": [BOX]} | other


def gold(folder: Path, *lines: Any) -> Path:
    """A gold file about a.pdf and b.pdf, which are there."""
    for name, size in (("a.pdf", 20), ("b.pdf", 10)):
        (folder / name).write_bytes(name[:1].encode() * size)
    path = folder / "gold.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


def line(doc: str, *questions: Any, domain: str = "News") -> dict[str, Any]:
    return {"doc": doc, "domain": domain, "questions": list(questions)}


def test_questions_are_read_with_their_document(tmp_path: Path) -> None:
    found = read(gold(tmp_path, line("a.pdf", question("q1")), "", line("b.pdf", question("q2"))), tmp_path)
    assert [q.qid for q in found.questions] == ["q1", "q2"]
    first = found.questions[0]
    assert first.pages == {2}
    assert first.boxes == (PageBox(2, (0.1, 0.2, 0.3, 0.4)),)
    assert first.groups == {"modality": ("Table", "Chart"), "domain": ("News",), "pages": ("unlabelled",)}
    assert found.files[first.documents[0]] == tmp_path / "a.pdf"
    assert (found.problems, found.left_out) == ((), 0)


def test_questions_are_grouped_by_the_text_layers_of_their_gold_pages(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        for text in ("Forty-one seals rest on the bar.", "Page 2 of 3", ""):
            document.new_page().insert_text((72, 72), text)
        document.save(tmp_path / "scan.pdf")
    pages = {"text": [1], "image-only": [2, 3], "mixed": [1, 3], "unlabelled": []}
    asked = [question(group, pages=numbers, boxes=[]) for group, numbers in pages.items()]
    read_ = read(gold(tmp_path, line("scan.pdf", *asked), line("a.pdf", question("q1"))), tmp_path)
    found = by_group({q.qid: q.groups for q in read_.questions}, "pages")
    assert found == {group: [group] for group in pages} | {"unlabelled": ["unlabelled", "q1"]}


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        ("{oops", "gold.jsonl, line 2: is not JSON"),
        ("[]", "gold.jsonl, line 2: expected an object with 'questions'"),
        ({"doc": "a.pdf"}, "line 2: has no 'questions' (it has: doc)"),
        (line("c.pdf", question("x")), "line 2: c.pdf is not in"),
        (line("b.pdf", {"qid": "x"}), "line 2, question 1: has no 'question'"),
        (line("b.pdf", question("q1")), "line 2, question 1: its id 'q1' is that of gold.jsonl, line 1, question 1"),
        (line("b.pdf", question("x", pages=[0])), "question 1: 0 is not a page number"),
        (line("b.pdf", question("x", boxes=[{"page": 1}])), "question 1: has no 'bbox'"),
        (line("b.pdf", question("x", boxes=[{"page": 1, "bbox": [1, 2, 3]}])), "question 1: [1, 2, 3] is not a box"),
        (line("b.pdf", question("x", boxes=[{"page": 1, "bbox": [72, 80, 300, 90]}])), "not in fractions of the page"),
        (line("b.pdf", question("x", boxes=[{"page": 1, "bbox": [0.5, 0.1, 0.4, 0.2]}])), "is inverted"),
    ],
)
def test_what_is_no_good_is_named_and_the_rest_is_read(tmp_path: Path, bad: Any, named: str) -> None:
    found = read(gold(tmp_path, line("a.pdf", question("q1")), bad), tmp_path)
    assert [q.qid for q in found.questions] == ["q1"]
    assert found.left_out == 1
    assert len(found.problems) == 1
    assert named in found.problems[0]


def test_a_missing_document_counts_with_all_its_questions(tmp_path: Path) -> None:
    lines = line("a.pdf", question("q1")), line("gone.pdf", question("q2"), question("q3"))
    assert read(gold(tmp_path, *lines), tmp_path).left_out == 2


def test_a_file_without_a_good_question_is_an_error_that_says_why(tmp_path: Path) -> None:
    with pytest.raises(GoldUnreadable, match=r"line 1: gone\.pdf is not in"):
        read(gold(tmp_path, line("gone.pdf", question("q1"))), tmp_path)
    with pytest.raises(GoldUnreadable, match="it is empty"):
        read(gold(tmp_path), tmp_path)
    with pytest.raises(GoldUnreadable, match="check the path"):
        read(tmp_path / "none.jsonl", tmp_path)
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe{}")
    with pytest.raises(GoldUnreadable, match="UTF-8"):
        read(tmp_path / "binary.jsonl", tmp_path)


def test_the_smallest_documents_can_be_chosen(tmp_path: Path) -> None:
    found = read(gold(tmp_path, line("a.pdf", question("q1")), line("b.pdf", question("q2"))), tmp_path, 1)
    assert [q.qid for q in found.questions] == ["q2"]
    assert [path.name for path in found.files.values()] == ["b.pdf"]


# ---- predictions ---------------------------------------------------------------------------------------------------

ASKED = GoldQuestion("q", "how many?", "6", ("own",), frozenset({2}), (PageBox(2, (0.1, 0.1, 0.9, 0.14)),), {})


def evidence(doc_id: str, page: int, ordinal: int) -> Evidence:
    return Evidence("E1", fakes.element("There are 6.", doc_id, page, ordinal), f"{doc_id}.pdf", 0.5)


def answered(*found: Evidence) -> Answer:
    """An answer that cites all of its evidence, once for each of two quotes."""
    cited = tuple(Citation.of(e, quote, ()) for e in found for quote in ("There are", "6"))
    sentences = (Sentence("There are 6.", cited, "confirmed"), Sentence("So it says.", (), "unconfirmed"))
    return Answer("how many?", "text", sentences, found, 0.5, {}, "hash")


def test_boxes_of_another_document_get_page_0_and_boxes_cited_twice_count_once() -> None:
    found = prediction(ASKED, answered(evidence("other", 2, 2), evidence("own", 2, 2)), 12.3456)
    box = list(BBox(0.1, 0.1, 0.9, 0.14).as_tuple())
    wanted = [{"page": 0, "bbox": pytest.approx(box)}, {"page": 2, "bbox": pytest.approx(box)}]
    assert found["ranked_boxes"] == wanted
    assert found["citations"] == wanted
    assert (found["answer"], found["abstained"], found["latency_ms"]) == ("There are 6. So it says.", False, 12.346)


def test_a_citation_of_another_document_is_never_right() -> None:
    figures = mmdocir.figures(ASKED, prediction(ASKED, answered(evidence("other", 2, 2)), 1.0))
    assert (figures["Ans"], figures["Rec"], figures["Prec"], figures["Page"], figures["SAA*"]) == (1, 0, 0, 0, 0)
    figures = mmdocir.figures(ASKED, prediction(ASKED, answered(evidence("own", 2, 2)), 1.0))
    assert (figures["Ans"], figures["Rec"], figures["Prec"], figures["Page"], figures["SAA*"]) == (1, 1, 1, 1, 1)


def test_a_question_that_cannot_be_asked_scores_nothing_and_has_no_latency() -> None:
    figures = mmdocir.figures(ASKED, nothing(ASKED, "the question has no words"))
    assert figures["ms"] is None
    assert {value for name, value in figures.items() if name not in ("ms", "abstained")} == {0.0}


def test_questions_are_grouped_by_each_of_their_modalities() -> None:
    groups = {"q0": {"modality": ("Chart", "Table")}, "q1": {"modality": ("Table",)}, "q2": {"domain": ("News",)}}
    assert list(by_group(groups, "modality").items()) == [("Table", ["q0", "q1"]), ("Chart", ["q0"])]
