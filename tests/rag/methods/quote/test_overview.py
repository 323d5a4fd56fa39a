"""Questions about a document as a whole: its title, its authors, what it is about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from indexing import Collection, Document, Element, Page, ParsedPage
from indexing.embed.minilm import MiniLM
from rag import Pipeline
from rag.methods.quote.answerers import UNSAID
from rag.methods.quote.overview import MOST_DOCUMENTS, About, documents_meant, question_about
from tests.support import fakes

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
        ("", None),
    ],
)
def test_what_is_asked_of_the_whole(question: str, about: About | None) -> None:
    assert question_about(question) == about


def set_in(element: Element, height: float) -> Element:
    """The element with letters of that height, a fraction of the page."""
    boxes = element.words.boxes.copy()
    boxes[:, 3] = boxes[:, 1] + height
    return replace(element, words=replace(element.words, boxes=boxes))


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    made = fakes.collection(tmp_path_factory.mktemp("paper"), embedder, "paper")
    document = fakes.document("tides.pdf", [["page"]])
    texts = [
        (set_in(fakes.element("The tides of Sallow Bay", document.id, 1, 1, "heading"), 0.04), ()),
        (fakes.element("Anna Holm, Tide Office", document.id, 1, 2), ()),
        (fakes.element("Per Olsen, Harbour School", document.id, 1, 3), ()),
        (fakes.element("ABSTRACT", document.id, 1, 6, "heading"), ()),
        (
            fakes.element(
                "Tides have been measured in the bay since the old mill was built by the sea. In this paper we "
                "compare two gauges that stand in the harbour.",
                document.id,
                1,
                7,
            ),
            ("ABSTRACT",),
        ),
        (fakes.element("Jonas Berg lent us his boat.", document.id, 1, 12), ("ABSTRACT",)),
    ]
    elements = tuple(replace(set_in(e, 0.02) if n else e, section=section) for n, (e, section) in enumerate(texts))
    with made.writer() as writer:
        writer.add(ParsedPage(Page(document.id, 1, 420.0, 595.0), elements))
        writer.finish(document, Path("/nowhere"))
        writer.flush()
    return made


def told(collection: Collection, question: str) -> list[str]:
    return [sentence.text for sentence in Pipeline(collection).answer(question).sentences]


def test_the_title_is_what_is_set_largest(paper: Collection) -> None:
    answer = Pipeline(paper).answer("What is the title of this paper?")
    (sentence,) = answer.sentences
    assert (sentence.text, sentence.verdict, sentence.answers) == ("The tides of Sallow Bay", "quoted", None)
    assert [c.quote for c in sentence.citations] == [sentence.text]
    assert sentence.citations[0].boxes
    assert sentence.citations[0].label in {e.label for e in answer.evidence}


def test_the_authors_stand_under_it(paper: Collection) -> None:
    assert told(paper, "Who wrote this paper?") == ["Anna Holm, Tide Office; Per Olsen, Harbour School"]


def test_what_it_is_about_stands_in_the_abstract(paper: Collection) -> None:
    assert told(paper, "What is this paper about?") == [
        "The tides of Sallow Bay",
        "Tides have been measured in the bay since the old mill was built by the sea.",
        "In this paper we compare two gauges that stand in the harbour.",
    ]


def titled(
    folder: Path, embedder: MiniLM, *lines: tuple[str, str, float], paragraphs: int = 3, name: str = "spec.pdf"
) -> Collection:
    """A document whose first page has these lines: kind, text, height of the letters; then running text."""
    made = fakes.collection(folder, embedder, "titled")
    document = fakes.document(name, [["page"]])
    running = [("text", "The register counts the sails that pass the lighthouse on every day of the year.", 0.012)]
    elements = [
        set_in(fakes.element(text, document.id, 1, n, kind), height)
        for n, (kind, text, height) in enumerate([*lines, *running * paragraphs], 1)
    ]
    with made.writer() as writer:
        writer.add(ParsedPage(Page(document.id, 1, 420.0, 595.0), tuple(elements)))
        writer.finish(document, Path("/nowhere"))
        writer.flush()
    return made


def test_a_title_ends_where_another_text_begins_and_is_no_numbered_heading(tmp_path: Path, embedder: MiniLM) -> None:
    made = titled(
        tmp_path,
        embedder,
        ("heading", "The Register of Sails", 0.03),
        ("heading", "Anna Holm", 0.03),
        ("text", "holm at sails.example", 0.014),
        ("heading", "1. Introduction", 0.03),
        ("heading", "1.1. Version", 0.017),
    )
    assert told(made, "What is the title of this specification?") == ["The Register of Sails Anna Holm"]
    assert told(made, "Who wrote it?") == ["Anna Holm"]


@pytest.mark.parametrize("height", [0.02, 0.015], ids=["large", "hardly larger"])
def test_a_title_of_one_word_stands_above_its_authors_and_its_date(
    tmp_path: Path, embedder: MiniLM, height: float
) -> None:
    made = titled(
        tmp_path,
        embedder,
        ("heading", "Concordance", height),
        ("text", "Anna Holm, Per Olsen", 0.014),
        ("text", "February 6, 2023", 0.014),
        ("heading", "1 The concordance statistic", 0.014),
        ("text", "The concordance is the fraction of pairs of boats that come home in the order told.", 0.012),
    )
    assert told(made, "What is the title of this paper?") == ["Concordance"]
    assert told(made, "Who are the authors of this paper?") == ["Anna Holm, Per Olsen"]
    assert told(made, "When was it written?") == ["February 6, 2023"]
    first, *_ = told(made, "What is the concordance?")
    assert first == "The concordance is the fraction of pairs of boats that come home in the order told."


@pytest.mark.parametrize("name", ["Anna J. Holm, Ph.D.", "Per Olsen Jr.", "Anna Holm, M. D."])
def test_an_author_may_end_with_a_degree(name: str, tmp_path: Path, embedder: MiniLM) -> None:
    made = titled(
        tmp_path,
        embedder,
        ("heading", "The tides of Sallow Bay", 0.03),
        ("text", name, 0.014),
        ("text", "Abstract", 0.014),
        ("text", "Tides have been measured in the bay since the old mill was built by the sea.", 0.012),
    )
    assert told(made, "Who wrote this paper?") == [name]


def test_where_nobody_is_named_nobody_is_made_up(tmp_path: Path, embedder: MiniLM) -> None:
    made = titled(tmp_path, embedder, ("heading", "1 Overview", 0.03), ("text", "Write the lower half last.", 0.02))
    answer = Pipeline(made).answer("Who wrote it?")
    assert answer.abstained
    assert answer.nothing == UNSAID["authors"]
    assert told(made, "What is the title of this manual?") == []


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


def test_a_document_that_is_named_is_the_one_told_of(tmp_path: Path, embedder: MiniLM) -> None:
    """Four are too many to tell of all."""
    made = fakes.collection(tmp_path, embedder, "named")
    fakes.index(made, {f"{name}.pdf": [[f"By Ada {name.title()}"]] for name in ("mill", "ferry", "harbour", "bridge")})
    assert [s.text for s in Pipeline(made).answer("Who wrote the ferry report?").sentences] == ["By Ada Ferry"]
    assert "say which one" in Pipeline(made).answer("Who wrote the report?").nothing


@pytest.mark.parametrize(("paragraphs", "authors"), [(0, ["Ada Holm"]), (3, [])])
def test_on_a_cover_names_stand_anywhere_and_those_of_the_thing_are_nobody_s(
    tmp_path: Path, embedder: MiniLM, paragraphs: int, authors: list[str]
) -> None:
    version = ("text", "For the Sails Library version 3.4", 0.015)
    between = [("text", f"No. {n}", 0.012) for n in range(8)]
    lines = (("heading", "The Sails Manual", 0.04), version, *between, ("text", "Ada Holm", 0.015))
    made = titled(tmp_path, embedder, *lines, paragraphs=paragraphs)
    assert told(made, "Who wrote this manual?") == authors


@pytest.mark.parametrize(("name", "authors"), [("Sails Manual Team", ["Sails Manual Team"]), ("Sails Press", [])])
@pytest.mark.parametrize("size", [0.03, 0.015], ids=["set like the title", "smaller"])
def test_a_team_that_is_called_like_its_thing_wrote_it(
    tmp_path: Path, embedder: MiniLM, name: str, authors: list[str], size: float
) -> None:
    made = titled(tmp_path, embedder, ("heading", "The Sails Manual", 0.04), ("heading", name, size), paragraphs=0)
    assert told(made, "Who wrote this manual?") == authors


def test_a_cover_without_names_leaves_it_to_the_next_page(tmp_path: Path, embedder: MiniLM) -> None:
    made = fakes.collection(tmp_path, embedder, "cover")
    inside = ["Sails and what they carry", "by Ada Holm", "Written by hand in 1912 and printed by Lund Press."]
    fakes.index(made, {"sails.pdf": [["Sails and what they carry"], inside]})
    assert [s.text for s in Pipeline(made).answer("Who wrote this?").sentences] == ["by Ada Holm"]


def test_of_many_documents_none_is_meant(tmp_path: Path, embedder: MiniLM) -> None:
    made = fakes.collection(tmp_path, embedder, "many")
    fakes.index(made, {f"{n}.pdf": [[f"The boat number {n} sails."]] for n in range(MOST_DOCUMENTS + 1)})
    answer = Pipeline(made).answer("What is this paper about?")
    assert answer.abstained
    assert f"there are {MOST_DOCUMENTS + 1}: say which one" in answer.nothing
    named = Pipeline(made).answer("What is this paper about?", documents=["0.pdf"])
    assert "say which one" not in named.nothing


MANUALS = (("libtasn1.pdf", "GNU Libtasn1 4.19.0"), ("report-2.pdf", "Report 2"), ("a1.pdf", "Sails of the bay"))


@pytest.fixture
def cover(tmp_path: Path, embedder: MiniLM) -> Collection:
    """A manual of a thing whose name is one word, with a cover that begins as a summary does."""
    made = fakes.collection(tmp_path, embedder, "cover")
    document = fakes.document("sailtool.pdf", [["page"], ["page"]])
    lines = [
        (1, "heading", "Sailtool", 0.04),
        (
            1,
            "text",
            "Abstract Sail Notation One, the library that the bay has used since version 4, May 2022",
            0.02,
        ),
        (1, "text", "Anna Holm Per Olsen (help at sails.example)", 0.025),
        (2, "text", "This manual is for Sailtool, a library that reads the notation in which sails are written.", 0.02),
        (2, "text", "Copyright of the harbour office, which lets everybody copy this as they like to do it.", 0.02),
    ]
    elements = [
        set_in(fakes.element(text, document.id, page, n, kind), height)
        for n, (page, kind, text, height) in enumerate(lines, 1)
    ]
    with made.writer() as writer:
        for page in (1, 2):
            own = tuple(e for e in elements if e.page == page)
            writer.add(ParsedPage(Page(document.id, page, 420.0, 595.0), own))
        writer.finish(document, Path("/nowhere"))
        writer.flush()
    return made


def test_a_cover_with_a_title_of_one_word_is_understood(cover: Collection) -> None:
    assert told(cover, "What is the title of this manual?") == ["Sailtool"]
    assert told(cover, "Who wrote this manual?") == ["Anna Holm Per Olsen (help at sails.example)"]


LICENCE = "This book is free software; you may redistribute it and modify it as the harbour office lets you do it here."
PAGES = (
    (("heading", "The Book of Sails", 0.04),),
    (("text", LICENCE, 0.02),),
    (("heading", "Contents", 0.03), ("text", "1 Introduction 5 2 Sails 9 3 Boats 14 4 Winds 21", 0.02)),
    (("heading", "5 Harbours", 0.03),),
    (("text", "Part I", 0.02),),
    (
        ("text", "We have enjoyed it, and so we hope that you will enjoy all of what is told in these pages.", 0.02),
        ("heading", "1 Introduction", 0.03),
        (
            "text",
            "A sail is a sheet of cloth by which the wind moves a boat, and there are four kinds of it here.",
            0.02,
        ),
    ),
    (("text", "This book was originally written by Ada Holm and Per Olsen for the harbour office.", 0.02),),
)


def bound(folder: Path, embedder: MiniLM, *, contents: str) -> Collection:
    """A book whose first pages have its contents, under that heading, and nothing of what it tells."""
    made = fakes.collection(folder, embedder, "book")
    document = fakes.document("book.pdf", [["page"]] * len(PAGES))
    with made.writer() as writer:
        for number, lines in enumerate(PAGES, 1):
            own, section = [], ()
            for n, (kind, text, height) in enumerate(lines, 1):
                said = contents if text == "Contents" else text
                element = set_in(fakes.element(said, document.id, number, n, kind), height)  # type: ignore[arg-type]
                own.append(replace(element, section=section))
                section = (text,) if kind == "heading" else section
            writer.add(ParsedPage(Page(document.id, number, 420.0, 595.0), tuple(own)))
        writer.finish(document, Path("/nowhere"))
        writer.flush()
    return made


@pytest.mark.parametrize("contents", ["Contents", "TABLE OF CONTENTS", "Inhaltsverzeichnis"])
def test_what_a_book_is_about_stands_behind_its_licence_and_its_contents(
    tmp_path: Path, embedder: MiniLM, contents: str
) -> None:
    book = bound(tmp_path, embedder, contents=contents)
    assert told(book, "What is this book about?") == ["The Book of Sails", PAGES[5][2][1]]


def test_of_slides_without_contents_the_headings_say_it(tmp_path: Path, embedder: MiniLM) -> None:
    slides = bound(tmp_path, embedder, contents="Agenda")
    assert told(slides, "What are these slides about?") == ["The Book of Sails", "Agenda", "5 Harbours"]


def test_who_wrote_it_may_be_said_by_a_sentence_anywhere(tmp_path: Path, embedder: MiniLM) -> None:
    answer = Pipeline(bound(tmp_path, embedder, contents="Contents")).answer("Who wrote this book?")
    (sentence,) = answer.sentences
    assert sentence.text == PAGES[6][0][1]
    assert [(c.page, bool(c.boxes)) for c in sentence.citations] == [(7, True)]
    assert sentence.citations[0].label in {e.label for e in answer.evidence}
