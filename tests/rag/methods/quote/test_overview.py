"""Questions about a document as a whole: its title, its authors, its date, what it is about."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from indexing import Document, Page, ParsedPage
from indexing.embed.minilm import MiniLM
from indexing.types import Kind
from rag import Answer, Pipeline
from rag.methods.quote.answerers import NOT_STATED
from rag.methods.quote.imprint import date_of
from rag.methods.quote.overview import MOST_DOCUMENTS, About, documents_meant, question_about
from tests.support import fakes

Line = tuple[Kind, str, float]
"""A line of a page: its kind, its text, and the height of its letters."""
PROSE: Line = ("text", "The register counts the sails that pass the lighthouse on every day of the year.", 0.012)
FILES = (
    ("crc-doc.1.0.pdf", ""),
    ("shared-mime-info-spec.pdf", ""),
    ("a1b2.pdf", "Nike in figures"),
    ("3M_2018_10K.pdf", ""),
)


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("What is this document about?", "subject"),
        ("Summarise this report", "subject"),
        ("What is the purpose of this study?", "subject"),
        ("What kind of document is this?", "subject"),
        ("Worum geht es in diesem Bericht?", "subject"),
        ("What is the title of this paper?", "title"),
        ("Who wrote this report?", "authors"),
        ("Who is the author of the mill report?", "authors"),
        ("How is this report called?", "title"),
        ("Who wrote it?", "authors"),
        ("Who wrote this specification?", "authors"),
        ("What is this about?", "subject"),
        ("What does this manual cover?", "subject"),
        ("What does this manual describe as a fault?", None),
        ("Who wrote it in 1912?", None),
        ("What does this report say about cranes?", None),
        ("How many boats sail?", None),
        ("When was this report published?", "date"),
        ("What is the date of this letter?", "date"),
        ("Where was this paper published?", "venue"),
        ("In which journal was this article published?", "venue"),
        ("At what conference was this requirement prioritization paper presented?", "venue"),
        ("Where was this boat built?", None),
        ("When was it built?", None),
        ("When was the report on the flood published?", None),
        ("", None),
    ],
)
def test_what_is_asked_of_the_whole(question: str, about: About | None) -> None:
    assert question_about(question) == about


Ask = Callable[..., Answer]


@pytest.fixture
def ask(tmp_path: Path, embedder: MiniLM) -> Ask:
    """Answer a question about a document whose pages have these lines, each below the heading before it."""

    def answer(question: str, *pages: list[Line], name: str = "spec.pdf") -> Answer:
        made = fakes.collection(tmp_path / name, embedder, "titled")
        document = fakes.document(name, [["page"]] * len(pages))
        parsed = []
        for number, lines in enumerate(pages, 1):
            elements, section = [], ()
            for n, (kind, text, height) in enumerate(lines, 1):
                element = fakes.element(text, document.id, number, n, kind)
                boxes = element.words.boxes.copy()
                boxes[:, 3] = boxes[:, 1] + height
                elements.append(replace(element, words=replace(element.words, boxes=boxes), section=section))
                section = (text,) if kind == "heading" else section
            parsed.append(ParsedPage(Page(document.id, number, 420.0, 595.0), tuple(elements)))
        fakes.keep(made, document, *parsed)
        return Pipeline(made).answer(question)

    return answer


def texts(answer: Answer) -> list[str]:
    return [sentence.text for sentence in answer.sentences]


TITLE: Line = ("heading", "The tides of Sallow Bay", 0.04)
TIDES = "Tides have been measured in the bay since the old mill was built by the sea."
PAPER: list[Line] = [
    TITLE,
    ("text", "Anna Holm, Tide Office", 0.02),
    ("text", "Per Olsen, Harbour School", 0.02),
    ("text", "February 6, 2023", 0.014),
    ("heading", "ABSTRACT", 0.02),
    ("text", f"{TIDES} In this paper we compare two gauges that stand in the harbour.", 0.02),
    ("text", "Jonas Berg lent us his boat.", 0.02),
]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is the title of this paper?", ["The tides of Sallow Bay"]),
        ("Who wrote this paper?", ["Anna Holm, Tide Office; Per Olsen, Harbour School"]),
        ("When was it written?", ["February 6, 2023"]),
        (
            "What is this paper about?",
            ["The tides of Sallow Bay", TIDES, "In this paper we compare two gauges that stand in the harbour."],
        ),
    ],
)
def test_the_front_of_a_paper_says_it(ask: Ask, question: str, said: list[str]) -> None:
    answer = ask(question, PAPER)
    assert texts(answer) == said
    for sentence in answer.sentences:
        assert (sentence.verdict, sentence.answers) == ("quoted", None)
        assert all(c.boxes and c.label in {e.label for e in answer.evidence} for c in sentence.citations)


@pytest.mark.parametrize(
    ("lines", "title", "authors"),
    [
        (
            [("heading", "The Register of Sails", 0.03), ("heading", "Anna Holm", 0.03),
             ("text", "holm at sails.example", 0.014), ("heading", "1. Introduction", 0.03), *[PROSE] * 3],
            ["The Register of Sails Anna Holm"], ["Anna Holm"],
        ),
        ([("heading", "Concordance", 0.02), ("text", "Anna Holm, Per Olsen", 0.014), *[PROSE] * 3],
         ["Concordance"], ["Anna Holm, Per Olsen"]),
        ([("heading", "Concordance", 0.015), ("text", "Anna J. Holm, Ph.D.", 0.014), *[PROSE] * 3],
         ["Concordance"], ["Anna J. Holm, Ph.D."]),
        ([TITLE, ("text", "Per Olsen Jr.", 0.014), ("text", "Abstract", 0.014), PROSE],
         ["The tides of Sallow Bay"], ["Per Olsen Jr."]),
        (
            [("heading", "Sailtool", 0.04),
             ("text", "Abstract Sail Notation One, the library of the bay since version 4, May 2022", 0.02),
             ("text", "Anna Holm Per Olsen (help at sails.example)", 0.025)],
            ["Sailtool"], ["Anna Holm Per Olsen (help at sails.example)"],
        ),
        ([("heading", "1 Overview", 0.03), ("text", "Write the lower half last.", 0.02), *[PROSE] * 3], [], []),
        ([("heading", "The Sails Manual", 0.04), ("text", "For the Sails Library version 3.4", 0.015),
          *[("text", f"No. {n}", 0.012) for n in range(8)], ("text", "Ada Holm", 0.015)],
         ["The Sails Manual"], ["Ada Holm"]),
    ],
    ids=["a title ends", "one word", "a degree", "an abstract", "a cover", "nobody", "names anywhere on a cover"],
)  # fmt: skip
def test_the_title_and_the_authors(ask: Ask, lines: list[Line], title: list[str], authors: list[str]) -> None:
    assert texts(ask("What is the title of this manual?", lines, name="title.pdf")) == title
    answer = ask("Who wrote it?", lines, name="authors.pdf")
    assert texts(answer) == authors
    assert answer.nothing == ("" if authors else NOT_STATED["authors"])


def test_of_slides_the_headings_say_it(ask: Ask) -> None:
    pages: list[list[Line]] = [[("heading", text, 0.04)] for text in ("The Book of Sails", "Agenda", "Harbours")]
    assert texts(ask("What are these slides about?", *pages)) == ["The Book of Sails", "Agenda", "Harbours"]
    licence: Line = (
        "text",
        "You may copy this free software as the harbour office lets you do it in all of the bay.",
        0.02,
    )
    assert texts(ask("What is this book about?", pages[0], [licence], [PROSE], name="b.pdf")) == [
        "The Book of Sails", PROSE[1],
    ]  # fmt: skip


LONG = "The keeper of the mill writes down each sack of rye that comes by boat. " * 3


@pytest.mark.parametrize(
    ("pages", "date"),
    [
        ([["FOR RELEASE MAY 3, 2018"]], "FOR RELEASE MAY 3, 2018"),
        ([["Publication date March 19, 2015 Copyright © 2015 The Mill"]], "Publication date March 19, 2015"),
        ([["arXiv:2310.07609v1 [cs.CL] 11 Oct 2023"]], "arXiv:2310.07609v1 [cs.CL] 11 Oct 2023"),
        ([["Stand: 3. Mai 2024"]], "Stand: 3. Mai 2024"),
        ([["For the fiscal year ended December 31, 2018"]], ""),
        ([["Date of death: 1900-06-05"]], ""),
        ([[f"{LONG}It was published on May 2, 2012."]], ""),
        ([["1 May 2024", "Revised June 2025"]], "Revised June 2025"),
        ([["Mill"], ["1 May 2024"], ["Dated: July 20, 2021"]], "Dated: July 20, 2021"),
        ([["1 May 2024"], ["Dated: July 20, 2021"]], "1 May 2024"),
        ([["Mill"], [f"Published May 2010. {LONG}"[:150]]], ""),
    ],
)
def test_the_date_stands_in_a_short_line_of_the_first_pages_or_the_last(pages: list[list[str]], date: str) -> None:
    numbers = [*range(1, len(pages)), 10] if len(pages) > 1 else [1]
    made = [
        [fakes.element(text, "d", number, n) for n, text in enumerate(lines, 1)]
        for number, lines in zip(numbers, pages, strict=True)
    ]
    assert [e.text[a:b] for e, a, b in date_of(made)] == ([date] if date else [])
    pictures = [[replace(e, kind="picture") for e in page] for page in made]
    assert date_of(pictures) == []


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Who wrote the CRC paper?", ["crc-doc.1.0.pdf"]),
        ("Who are the authors of the shared MIME-info specification?", ["shared-mime-info-spec.pdf"]),
        ("What is the Nike report about?", ["a1b2.pdf"]),
        ("What is the 2018 report about?", ["3M_2018_10K.pdf"]),
        ("What is the climate change treaty report about?", []),
        ("What is this about?", [name for name, _ in FILES]),
    ],
)
def test_the_words_of_the_question_say_which_document_is_meant(question: str, meant: list[str]) -> None:
    documents = [Document(name, name, title, 9, "") for name, title in FILES]
    assert [document.name for document in documents_meant(question, documents)] == meant


def test_a_document_that_is_named_is_the_one_and_of_many_none_is_meant(tmp_path: Path, embedder: MiniLM) -> None:
    made = fakes.collection(tmp_path, embedder, "named")
    names = ("mill", "ferry", "harbour", "bridge")
    fakes.index(made, {f"{name}.pdf": [[f"By Ada {name.title()}"]] for name in names})
    assert len(names) > MOST_DOCUMENTS
    pipeline = Pipeline(made)
    assert texts(pipeline.answer("Who wrote the ferry report?")) == ["By Ada Ferry"]
    assert f"there are {len(names)}: say which one" in pipeline.answer("Who wrote the report?").nothing
    assert texts(pipeline.answer("Who wrote the report?", documents=["mill.pdf"])) == ["By Ada Mill"]
