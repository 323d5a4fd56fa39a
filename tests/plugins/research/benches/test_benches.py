"""The benchmarks: what they take, and what they compute, on collections of made-up documents that are really asked."""

import json
from argparse import Namespace
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from indexing.embed.minilm import MiniLM
from indexing.embed.protocol import QueryVectors
from plugins.research.benches.ask import seconds_of_checking, share, warm, warm_rows, with_unfounded_years
from plugins.research.benches.indexing import Surveyed, rates, survey
from plugins.research.benches.inputs import BenchQuestion, pdfs, questions
from plugins.research.benches.memory import MemorySample, growth, join, peak
from plugins.research.benches.search import SETTINGS, Everything, best, cells, exact_pages, recall, run_numpy, run_ours
from plugins.research.benches.search import setting_of as search_setting
from rag import Pipeline, RagSettings
from tests.support import documents, fakes

MILL = {"mill.pdf": [["The mill was built in 1887 by Anna Holm.", "It grinds rye from March to October."]]}
TWO = {
    "mill.pdf": [["The mill was built in 1887 by Anna Holm.", "It grinds rye."], ["The ferry leaves at ten."]],
    "bus.pdf": [["The night bus costs two crowns.", "It leaves from the square."]],
}
SAMPLES = [MemorySample(*each) for each in ((0, 50, 0), (100, 60, 140), (400, 70, 100), (900, 80, 150), (1600, 90, 10))]


def gold(folder: Path) -> Path:
    asked = [{"question": "When was the mill built?", "pages": [1]}, {"question": "When does it leave?", "pages": [2]}]
    path = folder / "dev.jsonl"
    path.write_text(json.dumps({"doc": "mill.pdf", "questions": asked}) + "\n\n")
    return path


# ---- inputs --------------------------------------------------------------------------------------------------------


def test_questions_are_about_the_documents_that_are_there(tmp_path: Path) -> None:
    asked = Namespace(eval=tmp_path, gold=None)
    with pytest.raises(SystemExit, match="is missing: give the gold file with --gold"):
        questions(asked, {"mill.pdf"})
    gold(tmp_path)
    first, second = questions(asked, {"mill.pdf"})
    assert (first, second.pages) == (BenchQuestion("When was the mill built?", "mill.pdf", (1,)), (2,))
    with pytest.raises(SystemExit, match="--gold"):
        questions(asked, {"other.pdf"})


def test_the_smallest_documents_keep_their_order(tmp_path: Path) -> None:
    asked = Namespace(eval=tmp_path, pdfs=tmp_path, limit_docs=2)
    with pytest.raises(SystemExit, match="no PDF in"):
        pdfs(asked)
    for name, size in (("a.pdf", 20), ("b.pdf", 30), ("c.pdf", 10)):
        (tmp_path / name).write_bytes(b"x" * size)
    assert [path.name for path in pdfs(asked)] == ["a.pdf", "c.pdf"]


# ---- asking --------------------------------------------------------------------------------------------------------


def test_every_question_is_timed_in_its_parts(tmp_path: Path) -> None:
    made = fakes.collection(tmp_path, MiniLM(threads=1))
    (document,) = fakes.index(made, MILL)
    times = warm(made, [BenchQuestion("When was the mill built?", document.name, (1,)) for _ in range(3)])
    assert len(times.total) == len(times.check) == len(times.full_text) == 3
    assert len(times.again) == len(times.altered) == len(times.answered) == 3 - times.abstained
    parts = zip(times.retrieve, times.answer, times.check, times.total, strict=True)
    assert all(r + a + c <= t for r, a, c, t in parts)
    limited = [row.what for row in warm_rows(times) if row.limit == 15.0]
    assert limited == ["share of boxing the quotes", "share of checking all sentences"]
    assert share([1.0, 2.0], [4.0, 5.0]) == pytest.approx(25.0)
    assert share([], []) == 0.0


def test_what_is_altered_is_proven_by_nothing(tmp_path: Path) -> None:
    made = fakes.collection(tmp_path, MiniLM(threads=1))
    fakes.index(made, MILL)
    pipeline = Pipeline(made, RagSettings(min_confidence=0.0))
    answer = with_unfounded_years(pipeline.answer("When was the mill built?"))
    assert answer.sentences
    assert {s.verdict for s in pipeline.recheck(answer).sentences} == {"unconfirmed"}
    assert seconds_of_checking(pipeline, answer) > 0


# ---- memory --------------------------------------------------------------------------------------------------------


def test_peaks_and_growth_are_of_all_processes_together() -> None:
    assert peak(SAMPLES) == MemorySample(900, 80, 150)
    assert [peak(SAMPLES, 400).total, peak(SAMPLES, 899, 400).total, peak([], 400).total] == [200, 170, 0]
    assert growth(SAMPLES, 400, 1600) == pytest.approx(15.0)
    assert growth(SAMPLES[3:], 400, 1600) == 0.0, "there is no early sample"


def test_the_joined_pdf_has_exactly_the_pages_asked_for(tmp_path: Path) -> None:
    for name, pages in (("a", 2), ("b", 3)):
        document = pymupdf.open()
        for number in range(pages):
            document.new_page().insert_text((72, 72), f"{name}{number}")
        document.save(tmp_path / f"{name}.pdf")
    join([tmp_path / "a.pdf", tmp_path / "b.pdf"], 8, tmp_path / "joined.pdf")
    with pymupdf.open(tmp_path / "joined.pdf") as joined:
        found = [page.get_text().strip() for page in joined]
    assert sorted(found) == ["a0", "a0", "a1", "a1", "b0", "b0", "b1", "b2"]
    assert found != ["a0", "a1", "b0", "b1", "b2", "a0", "a1", "b0"]  # mixed


# ---- indexing ------------------------------------------------------------------------------------------------------


def test_a_page_of_text_is_surveyed_in_its_parts(tmp_path: Path) -> None:
    page = survey((documents.pdf(tmp_path / "mill.pdf", ["The mill was built in 1887 by Anna Holm."]), 1))
    assert (page.document, page.read, page.scanned) == ("mill.pdf", False, False)
    assert min(page.parse, page.embed) > 0


def test_the_rate_is_that_of_processes_that_are_busy() -> None:
    pages = [Surveyed("a", 0.5, 0.1, read=False, scanned=False), Surveyed("a", 0.7, 0.3, read=False, scanned=False)]
    assert rates(pages, 2) == ("2", "0.600", "0.200", "2.50")


# ---- searching -----------------------------------------------------------------------------------------------------


def test_element_scores_are_the_formula_of_search() -> None:
    """Two pages: elements of 2 and 1 tokens on the first, one of 3 tokens on the second."""
    random = np.random.default_rng(0)
    vectors = random.integers(-127, 128, (6, 4)).astype(np.int8)
    small = Everything(
        vectors, np.array([0, 3]), np.array([0, 2, 3]), np.array([0, 0, 1]), np.array([7, 8, 9]), (("a", 1), ("b", 1))
    )
    query = QueryVectors(
        random.normal(size=(3, 4)).astype(np.float32), np.array([0.5, 0.3, 0.2], np.float32), ("x", "y", "z")
    )
    own = vectors.astype(np.float32) / 127

    def maxsim(rows: np.ndarray) -> float:
        return float(sum(w * max(q @ v for v in rows) for q, w in zip(query.vectors, query.weights, strict=True)))

    pages, share = (maxsim(own[:3]), maxsim(own[3:])), SETTINGS.element_weight
    elements = [maxsim(own[a:b]) for a, b in ((0, 2), (2, 3), (3, 6))]
    wanted = [share * e + (1 - share) * pages[p] for e, p in zip(elements, (0, 0, 1), strict=True)]
    assert small.element_scores(query) == pytest.approx(wanted, rel=1e-5)
    assert exact_pages(small, np.array([0.2, 0.5, 0.4], np.float32)).tolist() == pytest.approx([0.5, 0.4])
    assert best(np.array([0.1, 0.9, 0.5], np.float32), 2).tolist() == [1, 2]
    assert best(np.array([0.1], np.float32), 5).tolist() == [0]


@pytest.mark.parametrize(("found", "share"), [([0.9, 0.8], 1.0), ([0.9, 0.5], 0.5), ([0.9, 0.79999], 1.0), ([], 0.0)])
def test_recall_counts_ties_at_the_end_as_found(found: list[float], share: float) -> None:
    exact = np.array([0.9, 0.8, 0.8, 0.5], np.float32)
    assert recall(np.array(found, np.float32), exact, 2) == share


def test_ours_finds_what_numpy_finds(tmp_path: Path) -> None:
    made = fakes.collection(tmp_path, MiniLM(threads=1))
    fakes.index(made, TWO)
    options = Namespace(gold=gold(tmp_path), limit_questions=None)
    setting = search_setting(made, [Path(name) for name in TWO], options)
    assert len(setting.exact.rows) == made.stats()["elements"] == 5
    exact, scores = run_numpy(setting)
    assert exact.gold == [True, True]
    ours = run_ours(setting, scores)
    assert ours.elements == ours.pages == [1.0, 1.0]
    assert ours.gold == [True, True]
    assert cells(ours)[0] == "2"
