"""Questions of our own on tables of our own: what is answered, from which cells; and what is refused."""

from __future__ import annotations

import time

import pytest

from rag.calculation import Calculation, calculate, candidates
from tests.rag.calculation.tables import ACCOUNTS, BOATS, table


def answered(question: str, rows: tuple[tuple[str, ...], ...]) -> Calculation:
    made = calculate(question, table(rows), least=0.0)
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many boats were built at Tern Head?", "3"),
        ("Which boat has the most seats?", "Ardle"),
        ("How many boats have more than 100 seats?", "3"),
        ("What is the average number of seats?", "138"),
        ("Which boat has more seats, Kelp or Merrow?", "Merrow"),
        ("Which boat is listed after Kelp?", "Ardle"),
    ],
)
def test_a_question_about_rows(question: str, answer: str) -> None:
    assert answered(question, BOATS).answer == (answer,)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the difference in fares between 2020 and 2021?", "$90"),
        ("What was the average of harbour dues for 2020 and 2021?", "103.5"),
        ("In which year were the fares the highest?", "2019"),
        ("What was the percentage change in fares from 2020 to 2021?", "7.83%"),
    ],
)
def test_a_question_about_a_line_of_accounts(question: str, answer: str) -> None:
    assert answered(question, ACCOUNTS).answer == (answer,)


def test_the_sum_is_shown_with_the_figures_of_the_cells_and_each_is_named() -> None:
    made = answered("What is the difference in harbour dues between 2020 and 2021?", ACCOUNTS)
    assert "120 - 87 = 33" in made.working
    assert {cell.text for cell in made.cells} >= {"120", "87"}
    assert {"2020", "2021", "Harbour dues"} <= {name.text for name in (*made.names, *made.cells)}


def test_every_cell_that_was_compared_is_used() -> None:
    made = answered("Which boat has the most seats?", BOATS)
    assert {cell.text for cell in made.cells} >= {"Ardle", "240", "120", "87", "45", "198"}


def test_a_misspelt_word_is_matched_to_a_word_of_the_table() -> None:
    assert answered("How many boats were built at Saltergtae?", BOATS).answer == ("1",)


@pytest.mark.parametrize(
    "question",
    [
        "How many passengers does the airship to Mars carry?",
        "Which mayor had the most votes in the election?",
        "What is the difference in rainfall between March and April?",
        "What is the total cost of the bridge?",
        "asdfghjkl qwertz",
    ],
)
def test_what_the_table_does_not_say_is_refused(question: str) -> None:
    assert calculate(question, table(BOATS)) is None


def test_a_reading_is_told_from_a_calculation() -> None:
    assert not answered("How many seats does Kelp have?", BOATS).calculated
    assert answered("How many boats were built at Tern Head?", BOATS).calculated


def test_a_large_table_and_a_long_question_take_bounded_time() -> None:
    rows = (("Name", *(f"Year {n}" for n in range(19))), *((f"same {n}", *["12"] * 19) for n in range(140)))
    question = "How many more " + "same 12 and year or most difference " * 40 + "?"
    started = time.process_time()
    calculate(question, table(rows))
    assert time.process_time() - started < 20


SCORES = (("Model", "F1", "Rank"), ("Gull", "63", "2"), ("Tern", "29", "3"), ("Kelp", "70", "1"))


def test_the_lowest_is_the_best_only_where_a_head_says_so() -> None:
    for question in ("Which model has the best F1?", "Which model has the worst F1?"):
        found = calculate(question, table(SCORES), 0.0)
        wrong = {"best": ("Tern",), "worst": ("Kelp",)}[question.split()[4]]
        assert found is None or found.answer != wrong


MEASURES = (
    ("Measure", "Gull", "Tern", "Kelp"), ("Trips", "4406", "4406", "4406"), ("profit", "-179", "-121", "-120"),
    ("Cost", "360.4", "244.6", "243"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Which boat has the highest profit?", "Kelp"), ("Which boat has the lowest cost?", "Kelp")],
)
def test_an_extreme_is_that_of_what_the_question_names_in_a_table_of_measures(question: str, answer: str) -> None:
    """Trips, profit and cost of one boat are not to be compared, and the highest of a measure is not its least."""
    assert answered(question, MEASURES).answer == (answer,)


def test_the_highest_rank_may_be_the_least() -> None:
    found = candidates("Which model has the highest rank?", table(SCORES))
    assert {"greatest", "least"} <= {p.operation for m, p in found if p.measured == 2 and not m.sheet.turned}
    found = candidates("Which model has the highest F1?", table(SCORES))
    assert "least" not in {p.operation for m, p in found if p.measured == 1 and not m.sheet.turned}
