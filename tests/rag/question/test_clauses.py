"""A question is taken apart where it asks for several things, and left alone where it does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag import Planner
from rag.question.clauses import LONG, key_phrases, parts
from rag.question.glossary import Glossary

TAKEN_APART = [
    (
        "What is the gap between men and women in 2013?",
        "What is the gap men in 2013?",
        "What is the gap women in 2013?",
    ),
    ("the income of Nike versus the income of Adobe", "the income of Nike", "the income of Adobe"),
    (
        "In 2015, what was spent on roads compared to railways, in crowns?",
        "In 2015, what was spent on roads, in crowns?",
        "In 2015, railways, in crowns?",
    ),
    ("Compare the yield of rye with that of oats in 1911.", "the yield of rye in 1911.", "the yield of oats in 1911."),
    (
        "Which is longer, the harbour bridge or the river bridge?",
        "Which is longer, the harbour bridge?",
        "Which is longer, the river bridge?",
    ),
    ("What was the revenue in 2019 and in 2020?", "What was the revenue in 2019?", "What was the revenue in 2020?"),
    (
        "Who chairs the audit committee and when was the mill built?",
        "Who chairs the audit committee",
        "when was the mill built",
    ),
    (
        "In 1911, who kept the mill, and how many were its sacks?",
        "In 1911, who kept the mill",
        "In 1911, how many were the mill sacks",
    ),
]
LEFT_ALONE = [
    "When was the mill built?",
    "What does research and development cost?",
    "Did rain or snow fall?",
    "Which share (rye, oats or barley) is the largest?",
    "",
]


@pytest.mark.parametrize(("question", "one", "two"), TAKEN_APART)
def test_what_is_asked_of_two_things_is_asked_of_each(question: str, one: str, two: str) -> None:
    assert parts(question) == [one, two]
    assert [q.text for q in Planner(Glossary({})).plan(question, 4).text] == [question, one, two]


@pytest.mark.parametrize("question", LEFT_ALONE)
def test_what_asks_for_one_thing_is_left_alone(question: str) -> None:
    assert parts(question) == []


def test_a_side_that_says_too_little_is_left_out() -> None:
    assert parts("the price of Nike shares vs Adobe") == ["the price of Nike shares"]


REMARK = "In the survey of mills that was made by the county in the spring of 1911, with a list of wheels on page 4, "
ASKS = "how many of the wheels are of oak?"


def test_a_long_question_is_looked_for_by_its_key_phrases_too() -> None:
    question = REMARK + ASKS
    assert len(question.split()) > LONG
    phrases = "survey, mills, made, county, spring, 1911, wheels, page 4, oak"
    assert key_phrases(question) == [phrases]
    planner = Planner(Glossary({}))
    assert [q.text for q in planner.plan(question, 4).text] == [question, phrases]
    assert [q.text for q in planner.plan(question, 1).text] == [question]
    assert key_phrases(ASKS) == key_phrases("and of the " * 20) == []


ASKING = ("who", "what", "when", "is", "compare", "between", "with", "in", "of", "2019", "2020", "versus", "?")
WORDS = st.sampled_from([*ASKING, "mill", "rye", "it", "that", "the", "or", "and", ","])


@given(st.lists(WORDS, max_size=40))
def test_sides_are_at_most_two_and_made_of_the_words_of_the_question(words: list[str]) -> None:
    question = " ".join(words)
    sides = parts(question)
    assert len(sides) <= 2
    assert {word for side in sides for word in side.replace(",", " ").replace("?", " ").split()} <= set(words)
