"""From a question to what is searched for: cleaned, taken apart, and with the terms of the glossary."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag import Planner, ProfileError
from rag.question.clauses import LONG, key_phrases, parts
from rag.question.glossary import Glossary, load_glossary
from rag.question.planner import MAX_IMAGE_CHARS, cleaned, image_seeking


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("According to the report, who chairs the board?", "who chairs the board?"),
        ("How many seals were counted in this report?", "How many seals were counted?"),
        ("What is the ratio? Round your answer to two decimal places.", "What is the ratio?"),
        ("Is the mill open? Answer 'yes' or 'no'.", "Is the mill open?"),
        ("What was paid in the U.S. in 1999?", "What was paid in the U.S. in 1999?"),
        ("  When \n was it  built? ", "When was it built?"),
        ("Return me an integer.", "Return me an integer."),
    ],
)
def test_what_is_said_about_the_answer_is_left_out(question: str, left: str) -> None:
    assert cleaned(question) == left
    assert image_seeking("What colour is the harbour bridge in the picture?") == "the harbour bridge in the ?"
    assert image_seeking("What is the figure?") == "What is the figure?"


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("What is the gap between men and women in 2013?",
         ["What is the gap men in 2013?", "What is the gap women in 2013?"]),
        ("Compare the yield of rye with that of oats.", ["the yield of rye.", "the yield of oats."]),
        ("Which is longer, the harbour bridge or the river bridge?",
         ["Which is longer, the harbour bridge?", "Which is longer, the river bridge?"]),
        ("What was earned in 2019 and in 2020?", ["What was earned in 2019?", "What was earned in 2020?"]),
        ("In 1911, who kept the mill, and how many were its sacks?",
         ["In 1911, who kept the mill", "In 1911, how many were the mill sacks"]),
        ("the price of Nike shares vs Adobe", ["the price of Nike shares"]),
        ("What does research and development cost?", []),
        ("Did rain or snow fall?", []),
        ("", []),
    ],
)  # fmt: skip
def test_what_is_asked_of_two_things_is_asked_of_each(question: str, sides: list[str]) -> None:
    assert parts(question) == sides


def test_the_question_is_first_and_there_are_no_more_than_asked_for() -> None:
    planner = Planner(Glossary({"quick ratio|acid test": ["cash", "current liabilities"]}))
    planned = planner.plan("What is the quick ratio of A versus the quick ratio of B?", 10)
    texts = [q.text for q in planned.text]
    assert texts[:3] == ["What is the quick ratio of A versus the quick ratio of B?", "cash", "current liabilities"]
    assert len(texts) == len(set(texts)) == len(planned.image) > 3
    for n in (1, 2, 3):
        assert [q.text for q in planner.plan(texts[0], n).text] == texts[:n]


def test_an_attached_image_adds_what_it_says() -> None:
    planned = Planner(Glossary({})).plan("Where is this sold?", 4, "Sallow  Bay\nCider " * 200)
    assert planned.text[0].text == "Where is this sold?"
    assert planned.text[1].text.startswith("Sallow Bay Cider Sallow")
    assert len(planned.text[1].text) <= MAX_IMAGE_CHARS


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


@pytest.mark.parametrize(
    ("question", "entries", "looked_for"),
    [
        ("What is the QUICK  RATIO of Nike?", {"quick ratio|acid test": ["cash"]}, ["cash"]),
        ("the cash_ratio", {"cash ratio": ["cash"]}, ["cash"]),
        ("abc", {"a.c": ["x"]}, []),
        ("a ( b", {"(": ["x"]}, ["x"]),
    ],
)
def test_terms_of_the_glossary_are_words_not_patterns(
    question: str, entries: dict[str, list[str]], looked_for: list[str]
) -> None:
    assert Glossary(entries).look_for(question) == looked_for


def test_the_glossary_that_ships_knows_ratios() -> None:
    assert any("current liabilities" in text for text in load_glossary().look_for("the quick ratio"))
    assert load_glossary().look_for("When was the mill built in Roarsville?") == []


@pytest.mark.parametrize("text", ["- a list", "term: word", "term: [1]", "a: [", "\xff", None])
def test_a_bad_or_missing_glossary_is_named(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "own.yaml"
    if text is not None:
        path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ProfileError, match=re.escape("own.yaml")):
        load_glossary(str(path))
