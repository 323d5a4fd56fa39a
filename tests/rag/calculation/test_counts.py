"""Counts of elements and mentions."""

from dataclasses import replace
from pathlib import Path

import pytest

from indexing import Collection
from indexing.embed.minilm import MiniLM
from indexing.types import Kind
from rag import Pipeline, RagSettings
from rag.calculation import counts, element_count, mentions
from rag.calculation.counts import mentions_asked_for
from rag.types import Citation
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
def test_a_document_is_known_by_its_name(bay: Collection, question: str, answer: str) -> None:
    found = element_count(question, bay, bay.documents())
    assert (found.text if found else "").startswith(answer)
    assert (found is not None) == bool(answer)


@pytest.mark.parametrize(
    ("question", "kind", "texts", "answer"),
    [
        ("How many chapters does this document have?", "heading", ["1. The mill", "Chapter 2"], "2 (counted numbered"),
        ("How many chapters does this document have?", "heading", ["1. The mill", "1. Questions"], ""),
        ("How many chapters does this document have?", "heading", ["1. The mill", "3. The wheel"], ""),
        ("How many chapters does this document have?", "heading", ["The mill", "2024"], ""),
        (
            "How many sections are there?", "heading", ["2 Method", "2.1 Data", "3 Boats"],
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
)  # fmt: skip
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


PAGES = (
    ["The Kelp sails at nine. The kelp is old."],
    ["HIT saves time; a hit does not.", "No one sails."],
    ["Kelp: see Exhibit P-10.", "Kelpie is a dog."],
)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    made = fakes.collection(tmp_path_factory.mktemp("mentions"), embedder, "book")
    fakes.index(made, {"book.pdf": PAGES})
    return made


@pytest.mark.parametrize(
    "question",
    [
        "How often does the moon appear?",  # in the sky
        "How many times did floods occur in 2019?",
        "How often is it mentioned that the Kelp is old?",
        "How many times did the ferry break down?",
        "Which page is the longest?",
        "List all documents",
        "How many documents are there?",
        "In which documents does a storm occur?",
        "",
        f"How often is {'a ' * 200}mentioned?",
    ],
)
def test_a_question_about_something_else_is_none(question: str) -> None:
    assert mentions_asked_for(question) is None


def texts(citations: tuple[Citation, ...]) -> list[tuple[int, str]]:
    return [(c.page, c.quote) for c in citations]


@pytest.mark.parametrize("term", ["it's", "a|b", "(x", "[1]", "C++", "50% of *", "\\d", "' OR 1=1 --", "x" * 78])
def test_signs_of_patterns_and_of_queries_are_only_text(term: str, embedder: MiniLM, tmp_path: Path) -> None:
    made = fakes.collection(tmp_path, embedder, "signs")
    fakes.index(made, {"a.pdf": [[f"so {term} there"], ["a or b, 50 of 4"]]})
    found = mentions(f'How often does "{term}" appear in the document?', made, made.documents())
    assert found is not None
    assert texts(found.citations) == [(1, term)]


def test_more_pages_than_are_gone_through_are_not_counted(book: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "MOST_PAGES", 2)
    assert mentions("How often is Kelp mentioned?", book, book.documents()) is None


@pytest.mark.parametrize(
    ("question", "text", "cited"),
    [
        ("How often is Kelp mentioned?", "3 (counted “Kelp” in the text: page 1 (2 times), page 3; 3 of 3 pages read).",
         [(1, "Kelp"), (1, "kelp"), (3, "Kelp")]),
        ('How many times does "HIT" appear in the slides?', "1 (counted “HIT” in the text: page 2; 3 of 3 pages read).",
         [(2, "HIT")]),
        ("How many times is Kelp mentioned on page 3?", "1 (counted “Kelp” in the text: page 3; 1 of 1 page read).",
         [(3, "Kelp")]),
        ("Which pages mention the Kelp?", "page 1, page 3 (“Kelp” stands there 3 times; 3 of 3 pages read).",
         [(1, "Kelp"), (1, "kelp"), (3, "Kelp")]),
    ],
)  # fmt: skip
def test_mentions_are_whole_words_each_in_a_box_of_its_own(
    book: Collection, question: str, text: str, cited: list[tuple[int, str]]
) -> None:
    first = Pipeline(book).answer(question).sentences[0]
    assert (first.text, first.verdict, first.reason) == (text, "computed", "counted in the text")
    assert first.short == (0, text.index(" ("))
    assert texts(first.citations) == cited
    assert len({c.boxes for c in first.citations}) == len(cited)
    assert all(len(c.boxes) == 1 for c in first.citations)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    made = fakes.collection(tmp_path_factory.mktemp("shelf"), embedder, "shelf")
    fakes.index(made, {"book.pdf": PAGES, "log.pdf": (["The kelp. " * 30], ["\u2013"]), "other.pdf": (["A dog."],)})
    return made


OFTEN = "stands there 33 times"
READ = "5 of 6 pages read, no text was read on log.pdf page 2"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("List all documents that mention Kelp", f"book.pdf, log.pdf (“Kelp” stands there 33 times; {READ})."),
        ("In how many of these documents is Kelp mentioned?",
         f"2 (counted documents that say “Kelp”: book.pdf, log.pdf; it stands there 33 times; {READ})."),
        ("How many pages mention Kelp?",
         f"3 (counted pages that say “Kelp”: book.pdf page 1, page 3, log.pdf page 1; it {OFTEN}; {READ})."),
        ("List all mentions of Kelp in these documents.",
         f"book.pdf page 1, page 3, log.pdf page 1 (“Kelp” stands there 33 times; {READ})."),
    ],
)  # fmt: skip
def test_every_mention_in_a_collection_is_cited(shelf: Collection, question: str, text: str) -> None:
    found = mentions(question, shelf, shelf.documents())
    assert found is not None
    assert found.text == text
    assert len(found.citations) == 33
    assert all(len(c.boxes) == 1 for c in found.citations)
