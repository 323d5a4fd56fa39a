"""What a question says about places, and what it does not say."""

from __future__ import annotations

import pytest

from indexing import Hints
from rag.question.hints import hints_of

PAGES = [
    ("What stands on page 5?", (5,)),
    ("What is shown on pages 51-53?", (51, 52, 53)),
    ("Compare pages 3 and 7.", (3, 7)),
    ("In slide 14, how many colours are there?", (14,)),
    ("the fax number on page fourteen", (14,)),
    ("the fax number on page thirty", (30,)),
    ("Was steht auf Seite zwölf?", (12,)),
    ("What is on the twelfth page?", (12,)),
    ("What date is on the second page?", (2,)),
    ("Who signs the last page?", (-1,)),
    ("Which court is named on the cover page?", (1,)),
    ("Was steht auf Seite 9?", (9,)),
    ("pages 1-400", (1,)),
    ("pages 9-3", (9,)),
    ("How many pages does it have?", ()),
    ("Which page is about 1914?", ()),
    ("What is the title?", ()),
]
NAMES = [
    ("What does Figure 3 show?", ("figure 3",)),
    ("in fig. 2.1", ("figure 2.1",)),
    ("figures 1-4", ("figure 1", "figure 2", "figure 3", "figure 4")),
    ("Table 2", ("table 2",)),
    ("Appendix C", ("appendix c",)),
    ("What do --jobs, `-j` and --wait-for=2 do?", ("--jobs", "--wait-for", "-j")),
    ("Is the run-on sentence - or a well-known one - longer?", ()),
    ("How do Section 5.2 and chapter 3 agree?", ("chapter 3", "section 5.2")),
    ("part of 3 regions", ()),
    ("configure 3 ports", ()),
]


@pytest.mark.parametrize(("question", "pages"), PAGES)
def test_pages(question: str, pages: tuple[int, ...]) -> None:
    assert hints_of(question).pages == pages


@pytest.mark.parametrize(("question", "names"), NAMES)
def test_names(question: str, names: tuple[str, ...]) -> None:
    assert hints_of(question).names == names


def test_kinds() -> None:
    assert hints_of("What colour is the bar?").pictures
    assert hints_of("Which row of the table is last?").tables
    assert hints_of("Who are the authors?").front
    assert hints_of("When was the mill built?") == Hints()


def test_digits_without_end_are_no_page() -> None:
    assert hints_of("page " + "9" * 5000) == Hints()
    assert hints_of("figure " + "1." * 3000).pages == ()
