"""A claim of several parts, and one that says nothing without its question."""

from __future__ import annotations

from rag.attribution.words import complete_claim, parts


def test_a_claim_is_taken_apart_at_its_joints() -> None:
    assert parts("Sales rose to 4.1 million, while costs fell by 3%") == (
        "Sales rose to 4.1 million",
        "costs fell by 3%",
    )


def test_a_later_part_takes_names_and_dates_with_it() -> None:
    first, second = parts("In 2019 Holm sold 4 mills, and costs were 3 million")
    assert first == "In 2019 Holm sold 4 mills"
    assert second == "Holm, 2019: costs were 3 million"


def test_a_piece_that_says_too_little_stays() -> None:
    assert parts("Sales rose, and fast") == ("Sales rose, and fast",)
    assert parts("Anna Holm built the mill in 1887") == ("Anna Holm built the mill in 1887",)


def test_an_elliptic_claim_is_completed_with_the_nearest_words() -> None:
    question = "What share of the ferries was late?"
    assert complete_claim("It was 43%.", (question,)) == "ferries late: It was 43%."
    assert complete_claim("Followers", (question, "LinkedIn counts")) == "LinkedIn counts: Followers"
    whole = "The share of late ferries was 43% in Bergen."
    assert complete_claim(whole, (question,)) == whole
    assert complete_claim("It was 43%.", ()) == "It was 43%."
