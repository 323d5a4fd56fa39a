"""What is asked for by its form: title, date and venue of a document, addresses, kinds of answers."""

from dataclasses import replace

import pytest

from indexing import Collection, Element
from indexing.embed.minilm import MiniLM
from indexing.types import Kind
from rag import Pipeline
from rag.methods.quote.addresses import address_asked, addresses_in
from rag.methods.quote.form import FORM_FEATURES, form_of
from rag.methods.quote.imprint import Span, date_of, title_of, venue_of
from tests.support import fakes

PROSE = "The register counts the sails that pass the lighthouse on every day of the year in the bay."


def page(*lines: tuple[Kind, str, float], number: int = 1) -> list[Element]:
    """Return the elements of a page, by their kind, their text and the height of their letters."""
    elements = []
    for n, (kind, text, height) in enumerate(lines, 1):
        element = fakes.element(text, "d", number, n, kind)
        boxes = element.words.boxes.copy()
        boxes[:, 3] = boxes[:, 1] + height
        elements.append(replace(element, words=replace(element.words, boxes=boxes)))
    return elements


def words(spans: list[Span]) -> list[str]:
    return [element.text[start:end] for element, start, end in spans]


@pytest.mark.parametrize(
    ("pages", "title"),
    [
        ([page(("text", "The sails of the bay", 0.06), ("text", "Ada Holm", 0.04))], "The sails of the bay"),
        ([page(("text", "RECOMMENDED CITATION", 0.01), ("text", "Mill, 2020, \u201cSails in the bay.\u201d", 0.01))],
         "Sails in the bay"),
        ([page(("text", "SAILS IN THE BAY.", 0.01), ("text", "By A. Holm", 0.01), ("text", PROSE, 0.01))],
         "SAILS IN THE BAY."),
        ([page(("text", PROSE, 0.01), ("footer", f"Sails of the bay {n}", 0.01), number=n) for n in (1, 2)],
         "Sails of the bay 1"),
        ([page(("heading", "Sails of the bay", 0.01), ("text", PROSE, 0.01))], "Sails of the bay"),
        ([page(("text", PROSE * 4, 0.01), ("heading", "Sails of the bay", 0.01))], ""),
        ([], ""),
    ],
    ids=["a cover", "as it is cited", "above its author", "a running head", "the first heading", "a later one", "none"],
)  # fmt: skip
def test_the_title(pages: list[list[Element]], title: str) -> None:
    assert words(title_of(pages)) == ([title] if title else [])


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Effective 3/17/04", "Effective 3/17/04"),
        ("25-03-2015", "25-03-2015"),
        ("Received 25 July 2008 Accepted 8 May 2008 Published 3 October 2008", "Published 3 October 2008"),
        ("Received 25 July 2008 Revised 8 May 2008", ""),
        (
            "Findings of the Mill: SAILS 2023, pages 3806 to 3824",
            "Findings of the Mill: SAILS 2023, pages 3806 to 3824",
        ),
        ("Pages 3806 to 3824 of 2023", ""),
    ],
)
def test_the_date(text: str, date: str) -> None:
    assert words(date_of([page(("text", text, 0.01))])) == ([date] if date else [])


@pytest.mark.parametrize(
    ("kind", "text", "number", "is_venue"),
    [
        ("text", "Journal of Sails, Vol. 29 No. 2", 1, True),
        ("text", "The archive of this journal is open", 1, False),
        ("footer", "MILL Working Paper Series No 1299", 2, True),
        ("text", "MILL Working Paper Series No 1299", 2, False),
        ("text", f"Sails of the International Conference on Mills. {PROSE * 3}", 1, False),
    ],
)
def test_the_venue(kind: Kind, text: str, number: int, is_venue: bool) -> None:
    pages = [page(number=n) for n in range(1, number)] + [page((kind, text, 0.01), number=number)]
    assert words(venue_of(pages)) == ([text] if is_venue else [])


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
        [
            "The harbour",
            "Ferries: ferry@mill.example and quay@mill.example",
            "https://doi.org/10.1000/182, www.pier.example",
        ],
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
        ("What is the web link to this paper?", ["https://doi.org/10.1000/182, www.pier.example"], [
            "https://doi.org/10.1000/182"]),
        ("What is the website of the mill?", [], []),
    ],
)  # fmt: skip
def test_addresses_are_told_in_their_lines(
    harbour: Collection, question: str, texts: list[str], short: list[str | None]
) -> None:
    answer = Pipeline(harbour).answer(question)
    if not texts:
        assert not any("mill.example" in s.text and s.reason.startswith("an address") for s in answer.sentences)
        return
    assert [s.text for s in answer.sentences] == texts
    assert [s.text[slice(*s.short)] if s.short else None for s in answer.sentences] == short
    assert all(s.citations[0].boxes for s in answer.sentences)


def form(question: str, text: str) -> dict[str, float]:
    return dict(zip(FORM_FEATURES, form_of(question, text), strict=True))


@pytest.mark.parametrize(
    ("question", "feature", "has", "lacks"),
    [
        ("How many boats sail?", "number", "Nine boats sail.", "Boats sail."),
        ("How many boats sail?", "counted", "The 9 old boats sail.", "At 9 the harbour opens for boats and for cargo."),
        ("How many boats sail?", "number", "9 boats sail.", "It sails on the 2nd."),
        ("How many boats sail?", "number", "Fourteen boats sail.", "Boats sail, in thousands."),
        ("When was it built?", "date", "Il a été construit en août.", "It was built of brick."),
        ("How many fatalities were there?", "counted", "Fatalities: 150", "150 people saw it."),
        ("How many processes run?", "counted", "Process: 9", "Process"),
        ("What share of riders pay?", "share", "In all, 43% of riders pay.", "Riders pay 43 crowns."),
        ("What share of riders pay?", "share", "Two thirds of them pay.", "Percent of riders in 1912"),
        ("When was it built?", "date", "It was built in March 1912.", "It was built of brick."),
        ("Who owns the mill?", "name", "The mill is owned by Anna Holm.", "The mill is owned by its miller."),
        ("What is the tide gauge?", "defined", "The tide gauge is a pipe.", "Read the tide gauge twice."),
        ("What is TG40?", "defined", "We sell a gauge (TG40).", "TG40 costs 9 crowns."),
        ("What does TG40 stand for?", "defined", "TG40 stands for tide gauge.", "TG40 costs 9 crowns."),
    ],
)
def test_what_is_asked_for_is_there_or_not(question: str, feature: str, has: str, lacks: str) -> None:
    assert form(question, has)[feature] == 1.0
    assert form(question, lacks)[feature] == -1.0
