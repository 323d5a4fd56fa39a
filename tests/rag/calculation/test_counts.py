"""How many pages, tables, figures, sections: counted in the catalogue, and only where that is what is asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from indexing import Collection
from indexing.embed.minilm import MiniLM
from indexing.types import Kind
from rag import Pipeline, RagSettings
from rag.calculation import counts, element_count
from tests.support import fakes


@pytest.fixture(scope="module")
def bay(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    """A manual with two tables and a report with three, of two pages each."""
    made = fakes.collection(tmp_path_factory.mktemp("bay"), embedder, "bay")
    for name, tables in (("tg40-tide-gauge-manual.pdf", 2), ("sallow-bay-annual-report.pdf", 3)):
        document = fakes.document(name, [["Tides"], ["Notes"]])
        first, second = (fakes.parsed(document.id, number, ["Tides"]) for number in (1, 2))
        found = (fakes.element("a | 1", document.id, 1, n, "table") for n in range(2, 2 + tables))
        fakes.keep(made, document, replace(first, elements=(*first.elements, *found)), second)
    return made


def test_a_count_is_the_whole_answer_even_where_nothing_is_quoted(town: Collection) -> None:
    pipeline = Pipeline(town, RagSettings(min_confidence=1.0))
    (sentence,) = pipeline.answer("How many pages does this document have?", documents=["mill.pdf"]).sentences
    assert (sentence.text, sentence.verdict, sentence.short) == (
        "2 (counted pages: mill.pdf 2).", "computed", (0, 1),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many pages do these documents have in all?", "4 (counted pages: "),
        ("How many documents are there?", "2 (counted documents: "),
        ("How many tables do these documents have?", "5 (counted tables on pages "),
        ("How many tables does the TG40 tide gauge manual have?", "2 (counted tables on page 1)."),
        ("How many pages has tg40-tide-gauge-manual.pdf?", "2 (counted pages: tg40-tide-gauge-manual.pdf 2)."),
        ("How many pages does the TG40 have?", "2 (counted pages: tg40-tide-gauge-manual.pdf 2)."),
        ("How many tables does the TG40 have?", ""),
        ("How many pages does the TG41 have?", ""),
        ("How many pages does this document have?", ""),
        ("How many tables does the bay manual have?", ""),
        ("How many tables of tides are there?", ""),
    ],
)
def test_a_document_is_told_from_others_by_its_name_and_never_guessed(
    bay: Collection, question: str, answer: str
) -> None:
    found = element_count(question, bay, bay.documents())
    assert (found.text if found else "").startswith(answer)
    assert (found is not None) == bool(answer)


def test_that_not_all_are_cited_is_said(bay: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "MOST_CITED", 1)
    found = element_count("How many tables do these documents have?", bay, bay.documents())
    assert found is not None
    assert found.text.endswith("and 1 more; the first 1 are cited).")
    assert len(found.citations) == 1
    monkeypatch.setattr(counts, "MOST_PAGES", 3)
    assert element_count("How many tables do these documents have?", bay, bay.documents()) is None


@pytest.mark.parametrize(
    ("question", "kind", "texts", "answer"),
    [
        ("How many chapters does this document have?", "heading", ["1. The mill", "Chapter 2"], "2 (counted numbered"),
        ("How many chapters does this document have?", "heading", ["1. The mill", "1. Questions"], ""),
        ("How many chapters does this document have?", "heading", ["1. The mill", "3. The wheel"], ""),
        ("How many chapters does this document have?", "heading", ["The mill", "2024"], ""),
        (
            "How many sections are there?",
            "heading",
            ["2 Method", "2.1 Data", "3 Boats"],
            "2 (counted numbered headings",
        ),
        ("How many sections are there?", "heading", ["Method", "Data"], "2 (counted headings on page 1)."),
        ("How many appendices are there?", "heading", ["Appendix A Tides", "Appendix B"], "2 (counted headings of app"),
        ("How many appendices are there?", "heading", ["Annex 1", "Annex 2"], "2 (counted headings of appendices on"),
        ("How many appendices are there?", "heading", ["Appendix A Tides", "Appendix C"], ""),
        ("How many figures are on page 1?", "picture", ["", ""], "2 (counted pictures on page 1)."),
        ("How many figures are on page 3?", "picture", ["", ""], ""),
        ("How many tables are there?", "table", ["a | 1", "b | 2"], "2 (counted tables on page 1)."),
        ("How many footnotes are on page 2?", "picture", ["", ""], ""),
        ("How many formulas are there?", "formula", [], "0 (counted formulas on no page)."),
    ],
)
def test_the_elements_of_one_document(
    tmp_path: Path, embedder: MiniLM, question: str, kind: Kind, texts: list[str], answer: str
) -> None:
    made = fakes.collection(tmp_path, embedder)
    document = fakes.document("mill.pdf", [texts])
    page = fakes.parsed(document.id, 1, texts)
    elements = (fakes.element(text, document.id, 1, n, kind) for n, text in enumerate(texts, 1))
    fakes.keep(made, document, replace(page, elements=tuple(elements)))
    found = element_count(question, made, made.documents())
    assert (found.text if found else "").startswith(answer)
    assert (found is not None) == bool(answer)
    assert found is None or len(found.citations) == int(answer[0])
