"""MMDocIR and the samples are read, what is wrong is named, and each question is scored."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import GoldUnreadable
from evaluation.metrics.core import PageBox
from evaluation.tasks import mmdocir
from evaluation.tasks.mmdocir import read
from evaluation.tasks.prediction import nothing, prediction
from evaluation.tasks.protocol import TASKS
from evaluation.tasks.questions import Gold, GoldQuestion
from indexing import BBox
from rag import Answer, Citation, Evidence, Sentence
from tests.evaluation import data_sets
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


def test_a_question_that_cannot_be_asked_scores_nothing_and_has_no_latency() -> None:
    figures = mmdocir.figures(ASKED, nothing(ASKED, "the question has no words"))
    assert figures["ms"] is None
    assert {value for name, value in figures.items() if name not in ("ms", "abstained")} == {0.0}


def load(name: str, folder: Path) -> Gold:
    return TASKS[name.replace("_", "-")].load(folder, None, folder / "material", None)


def test_mmdocir_counts_from_0_and_its_boxes_are_points(tmp_path: Path) -> None:
    gold = load("mmdocir", data_sets.mmdocir(tmp_path))
    assert (gold.problems, gold.left_out) == ((), 0)
    first, second = gold.questions
    assert (first.qid, first.pages, first.boxes) == ("mill.pdf-01", {2}, (PageBox(2, (0, 0, 1, 1)),))
    assert first.groups == {"modality": ("Table",), "domain": ("Farming",), "pages": ("text",)}
    assert (second.answer, second.pages) == ("1844", {1})


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


LEFT, RIGHT = BBox(0.1, 0.05, 0.4, 0.09), BBox(0.5, 0.05, 0.9, 0.09)
ELEMENTS = [fakes.element(text, ordinal=n) for n, text in enumerate(("Rye is ground.", "Cider is stored."), 1)]
EVIDENCE = tuple(Evidence(f"E{n}", e, "mill.pdf", 1.0) for n, e in enumerate(ELEMENTS, 1))
DRAWN = Citation.of(EVIDENCE[0], "Rye", (LEFT, RIGHT))
BARE = Citation.of(EVIDENCE[1], "Cider", ())
ANSWER = Answer(
    "What?", "text", (Sentence("Rye.", (DRAWN,), "confirmed"), Sentence("Cider.", (BARE, DRAWN), "confirmed")),
    EVIDENCE, 0.9, {"total": 0.1}, "0" * 12,
)  # fmt: skip
ASKED_OF_TIGHT_ROWS = GoldQuestion("q", "What?", "Rye", ("d",))


def cited(tight: bool) -> tuple[list[list[float]], list[list[int]]]:
    row = prediction(ASKED_OF_TIGHT_ROWS, ANSWER, 1.0, tight=tight)
    return [c["bbox"] for c in row["citations"]], [s["citations"] for s in row["sentences"]]


def test_a_box_that_two_citations_share_is_there_once() -> None:
    twice = replace(ANSWER, sentences=(Sentence("a", (DRAWN, replace(DRAWN, quote="again")), "confirmed"),))
    row = prediction(ASKED_OF_TIGHT_ROWS, twice, 1.0, tight=True)
    assert len(row["citations"]) == 2
    assert row["sentences"][0]["citations"] == [0, 1]
