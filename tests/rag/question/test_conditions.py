"""The numbers and names of a question, and how many of them the best pages have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.question import BEST_PAGES, ConditionsMet, conditions_met, conditions_of


@pytest.mark.parametrize(
    ("question", "conditions"),
    [
        ("What did the Acme group earn in FY2015, more than 2,300?", ("Acme", "2015", "2,300")),
        ("When was the mill built?", ()),
        ("how many boats had Gull Island in 1912 and in 1912", ("Gull", "Island", "1912")),
        ("WHAT IS THE CASE NUMBER OF SMITH?", ()),
        ("", ()),
    ],
)
def test_numbers_and_names_are_conditions(question: str, conditions: tuple[str, ...]) -> None:
    assert conditions_of(question) == conditions


@pytest.mark.parametrize(
    ("conditions", "pages", "share", "nowhere"),
    [
        ((), ["Anything."], 1.0, 0),
        ((), [], 1.0, 0),
        (("Gull", "1912"), ["Gull Island had 3 boats in 1912."], 1.0, 0),
        (("Gull", "1912"), ["Gull Island had 3 boats.", "In 1912 it rained."], 0.5, 0),
        (("Gull", "1913"), ["Gull Island had 3 boats in 1912."], 0.5, 1),
        (("Mars",), ["The ferry sails to Gull Island."], 0.0, 1),
        (("2,300",), ["They earned 2300 crowns."], 1.0, 0),
        (("Demoncratic",), ["Democratic voters say so."], 1.0, 0),
        (("Boats",), ["One boat."], 1.0, 0),
    ],
)
def test_what_the_best_pages_lack(conditions: tuple[str, ...], pages: list[str], share: float, nowhere: int) -> None:
    assert conditions_met(conditions, pages) == ConditionsMet(pytest.approx(share), nowhere)


def test_pages_beyond_the_best_do_not_count() -> None:
    pages = ["Rain."] * BEST_PAGES + ["It was built in 1887."]
    assert conditions_met(("1887",), pages) == ConditionsMet(0.0, 1)


@given(st.text(max_size=200), st.lists(st.text(max_size=300), max_size=4))
def test_any_question_and_any_page(question: str, pages: list[str]) -> None:
    conditions = conditions_of(question)
    met = conditions_met(conditions, pages)
    assert 0 <= met.share <= 1
    assert 0 <= met.nowhere <= len(conditions)
