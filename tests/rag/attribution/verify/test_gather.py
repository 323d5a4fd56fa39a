"""Words and numbers that stand in several boxes of one page prove a claim in part, at most."""

from __future__ import annotations

from dataclasses import replace

from rag.attribution.verify import gathered
from tests.support import fakes

CLAIM = "The Assurance team has 1,914 employees in 20 offices"
FIGURES = fakes.element("1914 20 12", ordinal=1)
NAMES = fakes.element("Employees Offices Countries", ordinal=2)
TITLE = fakes.element("Our Assurance team", ordinal=3)


def test_places_of_one_page_are_gathered() -> None:
    assert set(gathered(CLAIM, [FIGURES, NAMES, TITLE])) == {0, 1, 2}


def test_a_number_or_a_name_that_is_missing_is_not_gathered() -> None:
    assert gathered("The Assurance team has 1,915 employees in 20 offices", [FIGURES, NAMES, TITLE]) == ()
    assert gathered("The Consulting team has 1,914 employees in 20 offices", [FIGURES, NAMES, TITLE]) == ()


def test_places_of_two_pages_do_not_belong_together() -> None:
    assert gathered(CLAIM, [FIGURES, replace(NAMES, page=FIGURES.page + 1), TITLE]) == ()


def test_one_text_was_read_already_and_denials_are_not_gathered() -> None:
    assert gathered(CLAIM, [fakes.element("The Assurance team: 1914 employees, offices 20")]) == ()
    assert gathered(f"{CLAIM}, not in Bergen", [FIGURES, NAMES, TITLE]) == ()
