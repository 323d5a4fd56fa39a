"""From a question to what is searched for: cleaned, taken apart, and with the terms of the glossary."""

import re
from pathlib import Path

import pytest
from hypothesis import strategies as st

from rag import ProfileError
from rag.question.clauses import parts
from rag.question.glossary import Glossary, load_glossary


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


ASKING = ("who", "what", "when", "is", "compare", "between", "with", "in", "of", "2019", "2020", "versus", "?")
WORDS = st.sampled_from([*ASKING, "mill", "rye", "it", "that", "the", "or", "and", ","])


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


@pytest.mark.parametrize("text", ["- a list", "term: word", "term: [1]", "a: [", "\xff", None])
def test_a_bad_or_missing_glossary_is_named(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "own.yaml"
    if text is not None:
        path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ProfileError, match=re.escape("own.yaml")):
        load_glossary(str(path))
