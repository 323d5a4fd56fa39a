"""From a question to what is searched for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rag import Planner, ProfileError
from rag.question.glossary import Glossary, load_glossary
from rag.question.planner import MAX_IMAGE_CHARS, cleaned, image_seeking

CLEANED = [
    ("According to the report, who chairs the board?", "who chairs the board?"),
    ("How many seals were counted in this report?", "How many seals were counted?"),
    ("What is the ratio? Round your answer to two decimal places.", "What is the ratio?"),
    ("Is the mill open? Answer 'yes' or 'no'.", "Is the mill open?"),
    ("What was paid in the U.S. in 1999?", "What was paid in the U.S. in 1999?"),
    ("Who wrote the report?", "Who wrote the report?"),
    ("  When \n was it  built? ", "When was it built?"),
    ("Return me an integer.", "Return me an integer."),
]


@pytest.mark.parametrize(("question", "left"), CLEANED)
def test_what_is_said_about_the_answer_is_left_out(question: str, left: str) -> None:
    assert cleaned(question) == left


def test_image_seeking_drops_the_words_of_looking() -> None:
    assert image_seeking("What colour is the harbour bridge in the picture?") == "the harbour bridge in the ?"
    assert image_seeking("What is the figure?") == "What is the figure?"


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


class TestGlossary:
    def test_the_one_that_ships_knows_ratios(self) -> None:
        found = load_glossary().look_for("What is the QUICK  RATIO of Nike?")
        assert any("current liabilities" in text for text in found)
        assert load_glossary().look_for("the cash_ratio")
        assert load_glossary().look_for("When was the mill built in Roarsville?") == []

    def test_terms_are_words_not_patterns(self) -> None:
        assert Glossary({"a.c": ["x"]}).look_for("abc") == []
        assert Glossary({"(": ["x"]}).look_for("a ( b") == ["x"]

    @pytest.mark.parametrize("text", ["- a list", "term: word", "term: [1]", "a: [", "\xff"])
    def test_a_bad_one_is_named(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "own.yaml"
        path.write_bytes(text.encode("latin-1"))
        with pytest.raises(ProfileError, match=re.escape("own.yaml")):
            load_glossary(str(path))

    def test_a_missing_one_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(ProfileError, match="nowhere"):
            load_glossary(str(tmp_path / "nowhere.yaml"))
