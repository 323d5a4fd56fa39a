"""How often, and on which pages, something is mentioned: counted in the text, and only where that is what is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing import Collection
from indexing.embed.minilm import MiniLM
from rag import Pipeline
from rag.calculation import mention_counts, mentions
from rag.calculation.mention_counts import MentionsAsked, mentions_asked_for
from rag.types import Citation
from tests.support import fakes

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
    ("question", "asked"),
    [
        ('How many times does "Kelp" appear on page 3?', MentionsAsked("times", "Kelp", (3,), one=False)),
        ("How often is the Kelp mentioned?", MentionsAsked("times", "Kelp", (), one=False)),
        ("How many times does the word tide occur in this report?", MentionsAsked("times", "tide", (), one=True)),
        ("On which pages is Exhibit P-10 mentioned?", MentionsAsked("pages", "Exhibit P-10", (), one=False)),
        ("Which pages mention “Anna Holm”?", MentionsAsked("pages", "Anna Holm", (), one=False)),
        ("Where is Saltergate mentioned in the document?", MentionsAsked("pages", "Saltergate", (), one=True)),
        ("List all documents which refer to tides", MentionsAsked("documents", "tides", (), one=False)),
        ("Name the files in which the Kelp is mentioned", MentionsAsked("documents", "Kelp", (), one=False)),
        ("Show me every page that mentions Kelp", MentionsAsked("pages", "Kelp", (), one=False)),
        ("How many slides mention Kelp?", MentionsAsked("pages", "Kelp", (), one=False, number=True)),
        ("How often does Kelp appear on the last page?", MentionsAsked("times", "Kelp", (-1,), one=False)),
    ],
)
def test_what_is_looked_for(question: str, asked: MentionsAsked) -> None:
    assert mentions_asked_for(question) == asked


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


@pytest.mark.parametrize(
    ("term", "text", "found"),
    [
        ("ELEMENT", "The ELE- MENT is an ELEMENT.", ["ELE- MENT", "ELEMENT"]),
        ("ASN1_TAG_ERROR", "ASN1_TAG_ ERROR or ASN1_TAG_ERRORS", ["ASN1_TAG_ ERROR"]),
        ("Exhibit P-10", "Exhibits P-10 and P-11, Exhibit P-12", ["Exhibits P-10"]),
        ("Exhibit P-10", "Exhibit P- 10, Exhi\u00ad bit P-10, Exhibit P-100", ["Exhibit P- 10", "Exhi\u00ad bit P-10"]),
        ("cat", "a cat, c at", ["cat"]),
    ],
)
def test_a_word_that_is_broken_at_the_end_of_a_line_is_one(term: str, text: str, found: list[str]) -> None:
    assert MentionsAsked("times", term, (), one=False).pattern.findall(text) == found


@pytest.mark.parametrize(
    "text",
    ["ELE- MENT", "ele-\nment", "Ele\u00ad ment", "an element.", "ELEMENT\x1c"],
)
def test_what_is_looked_for_in_the_tables_leaves_out_no_mention(text: str, embedder: MiniLM, tmp_path: Path) -> None:
    asked = MentionsAsked("times", "element", (), one=False)
    made = fakes.collection(tmp_path, embedder, "broken")
    fakes.index(made, {"a.pdf": [[text], ["a cat"]]})
    assert asked.pattern.search(text)
    assert [e.text for e in made.outlines(saying=asked.outline)] == [text]


@pytest.mark.parametrize("term", ["it's", "a|b", "(x", "[1]", "C++", "50% of *", "\\d", "' OR 1=1 --", "x" * 78])
def test_signs_of_patterns_and_of_queries_are_only_text(term: str, embedder: MiniLM, tmp_path: Path) -> None:
    made = fakes.collection(tmp_path, embedder, "signs")
    fakes.index(made, {"a.pdf": [[f"so {term} there"], ["a or b, 50 of 4"]]})
    found = mentions(f'How often does "{term}" appear in the document?', made, made.documents())
    assert found is not None
    assert texts(found.citations) == [(1, term)]


def test_more_pages_than_are_gone_through_are_not_counted(book: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mention_counts, "MOST_PAGES", 2)
    assert mentions("How often is Kelp mentioned?", book, book.documents()) is None


def test_what_is_nowhere_is_not_counted(book: Collection) -> None:
    assert mentions('How often is "narwhal" mentioned?', book, book.documents()) is None
    assert mentions("How often is Kelp mentioned on page 7?", book, book.documents()) is None


def test_one_document_is_not_guessed_among_several(town: Collection) -> None:
    assert mentions("How often is the harbour mentioned in this document?", town, town.documents()) is None


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


def test_that_not_all_are_cited_is_said(book: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mention_counts, "MOST_HITS", 2)
    found = mentions("How often is Kelp mentioned?", book, book.documents())
    assert found is not None
    assert len(found.citations) == 2
    assert found.text.endswith("; the first 2 are cited; 3 of 3 pages read).")


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
def test_every_mention_in_a_collection_is_cited_and_what_was_not_read_is_named(
    shelf: Collection, question: str, text: str
) -> None:
    found = mentions(question, shelf, shelf.documents())
    assert found is not None
    assert found.text == text
    assert len(found.citations) == 33
    assert all(len(c.boxes) == 1 for c in found.citations)


def test_a_filter_restricts_what_is_counted(shelf: Collection) -> None:
    first = Pipeline(shelf).answer("How many documents mention Kelp?", where="name=book.pdf").sentences[0]
    assert first.text.startswith("1 (counted documents that say “Kelp”: book.pdf; it stands there 3 times; 3 of 3 ")


@pytest.mark.parametrize(("question", "noted"), [("List all dogs", True), ("What is Kelpie?", False)])
def test_quotes_that_are_not_all_there_are_say_so(shelf: Collection, question: str, noted: bool) -> None:
    answer = Pipeline(shelf).answer(question)
    assert answer.sentences
    assert any("not all there are" in note for note in answer.notes) is noted
