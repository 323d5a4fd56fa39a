"""When a document was published, and its version: told by a short line of its front, and by nothing else."""

from __future__ import annotations

import pytest

from indexing import Collection
from indexing.embed.minilm import MiniLM
from indexing.types import Kind
from rag import Evidence, Pipeline, RagSettings
from rag.methods.quote.answerers import UNSAID
from rag.methods.quote.imprint import (
    Imprint,
    address_asked,
    addresses_in,
    authorship_sentences,
    imprint,
    is_legal,
    version_in,
)
from rag.methods.quote.overview import question_about
from tests.support import fakes

PROSE = "The keeper of the mill writes down each sack of rye that comes by boat. " * 3


def told(about: Imprint, *pages: list[str], kind: Kind = "text") -> str:
    """What is quoted of pages with these texts, the last of which is the tenth."""
    numbers = [*range(1, len(pages)), 10] if len(pages) > 1 else [1]
    made = [
        [fakes.element(text, "d", number, n, kind) for n, text in enumerate(texts, 1)]
        for number, texts in zip(numbers, pages, strict=True)
    ]
    ((_, [(element, start, end)]),) = imprint(about, made) or [("", [(fakes.element(""), 0, 0)])]
    return element.text[start:end]


@pytest.mark.parametrize(
    ("line", "date"),
    [
        ("FOR RELEASE MAY 3, 2018", "FOR RELEASE MAY 3, 2018"),
        ("Publication date March 19, 2015 Copyright © 2015 The Mill", "Publication date March 19, 2015"),
        ("arXiv:2310.07609v1 [cs.CL] 11 Oct 2023", "arXiv:2310.07609v1 [cs.CL] 11 Oct 2023"),
        ("Stand: 3. Mai 2024", "Stand: 3. Mai 2024"),
        ("2021-04-30", "2021-04-30"),
        ("© 2013-2015 The Mill, all rights reserved", "© 2013-2015"),
        ("For the fiscal year ended December 31, 2018", ""),
        ("Date of death: 1900-06-05", ""),
        (f"{PROSE}It was published on May 2, 2012.", ""),
    ],
)
def test_the_date_of_a_document(line: str, date: str) -> None:
    assert told("date", ["The Mill", PROSE, line]) == date


def test_a_line_that_says_so_comes_before_a_date_alone() -> None:
    assert told("date", ["1 May 2024", "Revised June 2025"]) == "Revised June 2025"


def test_the_first_page_comes_before_others_and_a_date_alone_is_believed_there_only() -> None:
    assert told("date", ["Mill"], ["1 May 2024"], ["Dated: July 20, 2021"]) == "Dated: July 20, 2021"
    assert told("date", ["1 May 2024"], ["Dated: July 20, 2021"]) == "1 May 2024"
    assert told("date", ["Mill"], [f"Published May 2010. {PROSE}"[:150]]) == ""


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("Version 3.0", "Version 3.0"),
        ("The Mill Manual, Release 4.6.2.0", "The Mill Manual, Release 4.6.2.0"),
        ("Second edition", "Second edition"),
        ("for version 4.19.0 of the mill, which grinds rye and wheat", "version 4.19.0"),
        ("A version of the mill", ""),
    ],
)
def test_the_version_of_a_document(line: str, version: str) -> None:
    assert told("version", ["The Mill", line]) == version


@pytest.mark.parametrize("kind", ["picture", "table", "group", "footnote"])
def test_pictures_tables_and_notes_are_not_believed(kind: Kind) -> None:
    assert told("date", ["FOR RELEASE MAY 3, 2018"], kind=kind) == ""


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("When was this report published?", "date"),
        ("When was it built?", None),
        ("What is the date of this letter?", "date"),
        ("What version is this manual?", "version"),
        ("Which version of the mill does this manual describe?", "version"),
        ("Which version of the law does this report criticise?", None),
        ("When was the report on the flood published?", None),
    ],
)
def test_questions_about_the_document_at_hand(question: str, about: str | None) -> None:
    assert question_about(question) == about


@pytest.fixture(scope="module")
def mills(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    made = fakes.collection(tmp_path_factory.mktemp("mills"), embedder, "mills")
    millstones, boats = [["Revised 3 June 2025", PROSE], [PROSE]], [["Boats of the bay", PROSE]]
    fakes.index(made, {"millstones.pdf": millstones, "boats.pdf": boats})
    return made


def test_it_is_quoted_and_boxed_with_the_date_in_bold(mills: Collection) -> None:
    asked = "When was this document published?"
    (sentence,) = Pipeline(mills, RagSettings()).answer(asked, documents=["millstones.pdf"]).sentences
    assert (sentence.text, sentence.verdict, sentence.answers) == ("Revised 3 June 2025", "quoted", None)
    assert sentence.short is not None
    assert "June 2025" in sentence.text[slice(*sentence.short)]
    assert [c.page for c in sentence.citations] == [1]
    assert sentence.citations[0].boxes


def test_where_nothing_says_it_that_is_said(mills: Collection) -> None:
    answer = Pipeline(mills, RagSettings()).answer("When was this document published?", documents=["boats.pdf"])
    assert (answer.sentences, answer.nothing) == ((), UNSAID["date"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("This manual was originally written by Ada Holm.", True),
        ("Dieses Dokument wurde ursprünglich geschrieben von Ada Holm.", True),
        ("This manual was written by hand.", False),
        ("The letter was written by Ada Holm.", False),
        ("This " + "manual " * 2000 + "was written by Ada Holm.", False),
    ],
)
def test_a_sentence_may_say_who_wrote_the_document(text: str, says: bool) -> None:
    evidence = Evidence("E1", fakes.element(f"It rains. {text} It pours."), "mill.pdf", 1.0)
    assert [sentence.text for sentence in authorship_sentences([evidence])] == ([text] if says else [])


@pytest.mark.parametrize(
    ("text", "legal"),
    [
        ("Permission to use, copy and change this is granted.", True),
        ("Dieses Handbuch ist freie Software.", True),
        ("The mill was built of brick, and people are free to see it.", False),
    ],
)
def test_what_one_may_do_with_a_document_is_not_what_it_is_about(text: str, legal: bool) -> None:
    assert is_legal(text) == legal


def test_the_version_is_the_short_answer_not_what_stands_behind_a_colon() -> None:
    line = "Version 5.4 organized by: Ada Holm"
    assert version_in(line) == (0, len("Version 5.4"))
    assert version_in("organized by: Ada Holm") is None


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What is the e-mail address of the harbour?", ("mail", ["of", "the", "harbour"])),
        ("What is the web link to this paper?", ("link", ["to", "this", "paper"])),
        ("What is the contact phone number of Merrow?", ("phone", ["of", "merrow"])),
        ("How do I send an e-mail?", None),
        ("What is the web link " + "to " * 200 + "?", None),
    ],
)
def test_the_address_that_is_asked_for(question: str, asked: tuple[str, list[str]] | None) -> None:
    assert address_asked(question) == asked


@pytest.mark.parametrize(
    ("kind", "text", "addresses"),
    [
        ("mail", "Write to ada.holm@mill.example, or to Per.", ["ada.holm@mill.example"]),
        ("link", "See https://mill.example/a_b?c=1. Or www.mill.example, or doi:10.1000/182!", [
            "https://mill.example/a_b?c=1", "www.mill.example", "doi:10.1000/182!"]),
        ("phone", "Tel. +1 (308) 236-5137, call 0800 123 4567", ["+1 (308) 236-5137", "0800 123 4567"]),
        ("phone", "In 1990 - 1995 we had 120 450 000 boats.", []),
    ],
)  # fmt: skip
def test_addresses_by_their_form(kind: str, text: str, addresses: list[str]) -> None:
    assert [text[a:b] for a, b in addresses_in(kind, fakes.element(text))] == addresses


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    made = fakes.collection(tmp_path_factory.mktemp("harbour"), embedder)
    pages = [
        ["The harbour", "Ferries: ferry@mill.example and quay@mill.example", "https://doi.org/10.1000/182"],
        ["The office of the mill has the address office@mill.example.", "www.mill.example"],
    ]
    fakes.index(made, {"harbour.pdf": pages})
    return made


@pytest.mark.parametrize(
    ("question", "texts", "short"),
    [
        (
            "What is the e-mail address?",
            [
                "Ferries: ferry@mill.example and quay@mill.example",
                "The office of the mill has the address office@mill.example.",
            ],
            [None, "office@mill.example"],
        ),
        ("What is the e-mail address of the office?", ["The office of the mill has the address office@mill.example."], [
            "office@mill.example"]),
        ("What is the e-mail address on page 2?", ["The office of the mill has the address office@mill.example."], [
            "office@mill.example"]),
        ("What is the web link to this paper?", ["https://doi.org/10.1000/182"], ["https://doi.org/10.1000/182"]),
        ("What is the website of the mill?", [], []),
    ],
)  # fmt: skip
def test_addresses_are_told_in_their_lines(
    harbour: Collection, question: str, texts: list[str], short: list[str | None]
) -> None:
    answer = Pipeline(harbour, RagSettings()).answer(question)
    if not texts:
        assert not any("mill.example" in s.text and s.reason.startswith("an address") for s in answer.sentences)
        return
    assert [s.text for s in answer.sentences] == texts
    assert [s.text[slice(*s.short)] if s.short else None for s in answer.sentences] == short
    assert all(s.citations[0].boxes for s in answer.sentences)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    made = fakes.collection(tmp_path_factory.mktemp("log"), embedder)
    many = [f"The {n}th ferry left on {n} May 2021." for n in range(4, 8)]
    fakes.index(made, {"log.pdf": [many, ["Merrow, February 8, 2021", "A boat of 1990"], ["Moored on 4 May 2022."]]})
    return made
