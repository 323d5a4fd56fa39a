"""How many pages, tables, figures, sections: counted in the catalogue, and only where that is what is asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from indexing import BBox, Collection
from indexing.embed.minilm import MiniLM
from rag.calculation import element_count
from rag.calculation.counts import asked_for, census
from rag.calculation.counts.census import _NUMBERED
from tests.support import fakes


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("How many pages does this document have?", "page"),
        ("How many tables are there?", "table"),
        ("how many figures are in the report", "figure"),
        ("What is the number of sections in this paper?", "section"),
        ("How many documents are in this collection?", "document"),
    ],
)
def test_what_is_to_be_counted(question: str, noun: str) -> None:
    assert asked_for(question) == noun


@pytest.mark.parametrize(
    "question",
    [
        "How many pages did Anna Holm write?",
        "How many figures of the council were elected?",
        "Which table is the longest?",
        "",
    ],
)
def test_a_question_about_what_documents_say_is_another(question: str) -> None:
    assert asked_for(question) is None


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


def test_pages_and_documents_are_counted(town: Collection) -> None:
    documents = town.documents()
    found = element_count("How many pages do these documents have in all?", town, documents)
    assert found is not None
    assert found.number == sum(d.n_pages for d in documents)
    counted = element_count("How many documents are there?", town, documents)
    assert counted is not None
    assert counted.number == len(documents) > 1


def test_this_document_is_not_guessed_among_several(town: Collection) -> None:
    assert element_count("How many pages does this document have?", town, town.documents()) is None


def test_a_document_is_told_from_others_by_its_name(bay: Collection) -> None:
    documents = bay.documents()
    (manual,) = (d for d in documents if d.name == "tg40-tide-gauge-manual.pdf")
    found = element_count("How many tables does the TG40 tide gauge manual have?", bay, documents)
    alone = element_count("How many tables does this document have?", bay, [manual])
    assert found == alone
    assert found is not None
    assert found.number == 2
    assert element_count("How many pages has tg40-tide-gauge-manual.pdf?", bay, documents) is not None
    for several in ("How many tables does the bay manual have?", "How many tables of tides are there?"):
        assert element_count(several, bay, documents) is None


def test_what_only_documents_have_is_asked_of_one_by_its_name_alone(bay: Collection) -> None:
    documents = bay.documents()
    (manual,) = (d for d in documents if d.name == "tg40-tide-gauge-manual.pdf")
    found = element_count("How many pages does the TG40 have?", bay, documents)
    assert found is not None
    assert found.number == manual.n_pages
    assert element_count("How many tables does the TG40 have?", bay, documents) is None
    assert element_count("How many pages does the TG41 have?", bay, documents) is None


def test_that_not_all_are_cited_is_said(bay: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(census, "MOST_CITED", 1)
    found = element_count("How many tables do these documents have?", bay, bay.documents())
    assert found is not None
    assert found.number > len(found.citations) == 1
    assert found.working.endswith("; the first 1 are cited")


@pytest.mark.parametrize(
    ("heading", "numbered"),
    [("2 Method", True), ("3. The bay", True), ("Chapter 4: Tides", True), ("2.1 Data", False), ("2024", False)],
)
def test_a_numbered_heading_of_the_first_level(heading: str, numbered: bool) -> None:
    assert bool(_NUMBERED.match(heading)) is numbered


def test_chapters_are_not_guessed_of_headings_without_numbers(town: Collection) -> None:
    document = town.document("mill.pdf")
    assert element_count("How many chapters does this document have?", town, [document]) is None


@pytest.mark.parametrize(
    ("second", "number"), [("2. The wheel", 2), ("Chapter 2", 2), ("1. Questions", None), ("3. The wheel", None)]
)
def test_chapters_whose_numbers_begin_anew_or_leave_one_out_are_not_added_up(
    tmp_path: Path, embedder: MiniLM, second: str, number: int | None
) -> None:
    made = fakes.collection(tmp_path, embedder)
    document = fakes.document("mill.pdf", [("1. The mill", second)])
    page = fakes.parsed(document.id, 1, ("1. The mill", second))
    fakes.keep(made, document, replace(page, elements=tuple(replace(e, kind="heading") for e in page.elements)))
    found = element_count("How many chapters does this document have?", made, made.documents())
    assert (found.number if found else None) == number


@pytest.mark.parametrize(("inside", "number"), [(("", ""), 2), ((), 1)])
def test_an_image_counts_as_a_figure_where_there_is_none_in_it(
    tmp_path: Path, embedder: MiniLM, inside: tuple[str, ...], number: int
) -> None:
    made = fakes.collection(tmp_path, embedder, "image")
    document = fakes.document("Figure 1.png", [inside])
    page = fakes.image_page(document.id, "Figure 1")
    figures = (fakes.element(text, document.id, 1, n, "picture") for n, text in enumerate(inside, 1))
    fakes.keep(made, document, replace(page, elements=(*page.elements, *figures)))
    counted = element_count("How many figures does this document have?", made, made.documents())
    assert counted is not None
    assert (counted.number, counted.working) == (number, "counted pictures on page 1")


@pytest.mark.parametrize(
    ("boxes", "number"),
    [
        ([(0.1, 0.1, 0.5, 0.5), (0.6, 0.1, 0.9, 0.5)], 2),
        ([(0.1, 0.1, 0.5, 0.5), (0.1, 0.1, 0.4, 0.5)], 1),
        ([(0.1, 0.1, 0.9, 0.9), (0.1, 0.1, 0.4, 0.5), (0.5, 0.1, 0.9, 0.5), (0.1, 0.6, 0.9, 0.9)], 3),
    ],
    ids=["side by side", "one within another", "a frame around three"],
)
def test_pictures_within_pictures_are_not_counted_twice(
    tmp_path: Path, embedder: MiniLM, boxes: list[tuple[float, float, float, float]], number: int
) -> None:
    made = fakes.collection(tmp_path, embedder)
    document = fakes.document("boats.pdf", [["Boats"]])
    page = fakes.parsed(document.id, 1, ["Boats"])
    pictures = [
        replace(fakes.element("", document.id, 1, n, "picture"), bbox=BBox(*box)) for n, box in enumerate(boxes, 2)
    ]
    fakes.keep(made, document, replace(page, elements=(*page.elements, *pictures)))
    found = element_count("How many pictures are on page 1?", made, made.documents())
    assert found is not None
    assert (found.number, len(found.citations)) == (number, number)


@pytest.mark.parametrize(
    ("captions", "more"),
    [
        (("Table 1: Boats", "Tab. 2", ""), "; 2 of them have a number"),
        (("Table 1: Boats", "Table 2", "Tabelle A"), ""),
        (("Table 1: Boats", "", "Boats"), ""),
    ],
)
def test_how_many_tables_have_a_number_is_told(
    tmp_path: Path, embedder: MiniLM, captions: tuple[str, ...], more: str
) -> None:
    made = fakes.collection(tmp_path, embedder)
    document = fakes.document("boats.pdf", [["Boats"]])
    page = fakes.parsed(document.id, 1, ["Boats"])
    tables = [
        replace(fakes.element("a | 1", document.id, 1, n, "table"), caption=said) for n, said in enumerate(captions, 2)
    ]
    fakes.keep(made, document, replace(page, elements=(*page.elements, *tables)))
    found = element_count("How many tables are there?", made, made.documents())
    assert found is not None
    assert (found.number, found.working) == (3, f"counted tables on page 1{more}")
    assert [(c.page, c.kind) for c in found.citations] == [(1, "table")] * 3


@pytest.mark.parametrize(
    ("lines", "number"),
    [
        (("Figure 1: The mill.", "Fig. 2. The bay.", "Figure 3"), "3"),
        (("Figure 1: The mill 2", "Figure 2: The bay 3", "Figure 1: The mill.", "Figure 2: The bay."), "2"),
        (("Figure 1: The mill.", "Figure 3: The bay."), "0"),  # one was not read
        (("Figure 1 shows the mill.", "Figure 2 shows the bay."), "0"),
        (("Figure 1: The mill.",), "0"),
    ],
)
def test_figures_are_counted_by_the_numbers_of_their_captions(
    lines: tuple[str, ...], number: str, tmp_path: Path, embedder: MiniLM
) -> None:
    made = fakes.collection(tmp_path, embedder)
    fakes.index(made, {"mill.pdf": [list(lines)]})
    found = element_count("How many figures are there?", made, made.documents())
    assert found is not None
    assert str(found.number) == number
    assert len(found.citations) == found.number
    assert all(c.boxes for c in found.citations)
