"""An acronym of a question is read as what the pages spell out, and only where they do."""

from __future__ import annotations

import time

import pytest

from rag.question import acronyms_of

PAGES = ["Ann Berg, Chief Executive Officer of Merrow Ferries", "Signed: the Chief Executive Officer", "City of Merrow"]


@pytest.mark.parametrize(
    ("question", "pages", "read"),
    [
        ("Who is the CEO?", PAGES, {"CEO": "Chief Executive Officer"}),
        ("Who is the CEO?", [*PAGES, "Our CEO speaks."], {}),
        ("Who is the CFO?", PAGES, {}),
        ("who is the ceo?", PAGES, {}),
        ("WHO IS THE CEO?", PAGES, {}),
        ("What does the NHB do?", ["the National Board of Housing"], {}),
        ("What does the NBH do?", ["the National Board of Housing"], {"NBH": "National Board of Housing"}),
        ("Who are the USA?", ["under some agreements"], {}),
        ("What is the CEO?", ["Chief Elf Order. Chief Executive Officer. Chief Executive Officer."],
         {"CEO": "Chief Executive Officer"}),
    ],
)  # fmt: skip
def test_it_is_the_name_that_the_pages_spell_out(question: str, pages: list[str], read: dict[str, str]) -> None:
    assert acronyms_of(question, pages) == read


def test_a_page_of_one_letter_words_takes_no_longer_than_its_length() -> None:
    taken = []
    for length in (20_000, 80_000):
        page = "Ca Ea of " * length
        began = time.process_time()
        acronyms_of("Who is the CEO?", [page])
        taken.append(time.process_time() - began)
    assert taken[1] < 12 * taken[0] + 0.5
