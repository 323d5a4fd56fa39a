"""E-mail addresses, links and telephone numbers are found by their form and quoted in their lines."""

from __future__ import annotations

import pytest

from indexing import Collection
from indexing.embed.minilm import MiniLM
from rag import Pipeline
from rag.methods.quote.addresses import address_asked, addresses_in
from tests.support import fakes


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
