"""The form of an answer: what a question asks for, and whether a piece of text has it."""

from __future__ import annotations

import pytest

from indexing.language import stem
from rag.methods.quote.form import FORM_FEATURES, form_of, held_by, rarity_of, wanted_of


def form(question: str, text: str) -> dict[str, float]:
    return dict(zip(FORM_FEATURES, form_of(question, text), strict=True))


@pytest.mark.parametrize(
    ("question", "feature", "has", "lacks"),
    [
        ("How many boats sail?", "number", "Nine boats sail.", "Boats sail."),
        ("How many boats sail?", "counted", "The 9 old boats sail.", "At 9 the harbour opens for boats and for cargo."),
        ("How many boats sail?", "number", "9 boats sail.", "It sails on the 2nd."),
        ("How many boats sail?", "number", "Fourteen boats sail.", "Boats sail, in thousands."),
        ("When was it built?", "date", "Il a été construit en août.", "It was built of brick."),
        ("How many fatalities were there?", "counted", "Fatalities: 150", "150 people saw it."),
        ("How many processes run?", "counted", "Process: 9", "Process"),
        ("What share of riders pay?", "share", "In all, 43% of riders pay.", "Riders pay 43 crowns."),
        ("What share of riders pay?", "share", "Two thirds of them pay.", "Percent of riders in 1912"),
        ("When was it built?", "date", "It was built in March 1912.", "It was built of brick."),
        ("Who owns the mill?", "name", "The mill is owned by Anna Holm.", "The mill is owned by its miller."),
        ("What is the tide gauge?", "defined", "The tide gauge is a pipe.", "Read the tide gauge twice."),
        ("What is TG40?", "defined", "We sell a gauge (TG40).", "TG40 costs 9 crowns."),
        ("What does TG40 stand for?", "defined", "TG40 stands for tide gauge.", "TG40 costs 9 crowns."),
    ],
)
def test_what_is_asked_for_is_there_or_not(question: str, feature: str, has: str, lacks: str) -> None:
    assert form(question, has)[feature] == 1.0
    assert form(question, lacks)[feature] == -1.0


@pytest.mark.parametrize(
    ("feature", "text", "value"),
    [
        ("asks", "What are the four kinds of boat?", 1.0),
        ("asks", "There are four kinds of boat.", 0.0),
        ("cut off", "Boats of those who own a …", 1.0),
        ("cut off", "Boats leave at nine.", 0.0),
        ("cut off", "and so the boats sailed.", 1.0),
        ("news", "Boats sail", 0.0),
        ("news", "Boats sail daily", 1.0),
        ("key", "Boats: nine", 1.0),
        ("key", "Ferries: nine", 0.0),
    ],
)
def test_the_make_of_a_piece(feature: str, text: str, value: float) -> None:
    assert form("Do boats sail?", text)[feature] == value


def test_the_noun_that_is_counted_ends_at_its_plural() -> None:
    assert wanted_of("How many older adults own a boat?").count_noun == (stem("older"), stem("adults"))
    assert wanted_of("How many people sail?").count_noun == ("peopl",)
    assert wanted_of("What sails?").count_noun == ()


def test_rare_words_weigh_more() -> None:
    texts = ["Boats with a degree sail.", "Boats sail home.", "Boats sail."]
    rarity = rarity_of("Which boats with a degree sail?", texts)
    assert sum(rarity.values()) == pytest.approx(1.0)
    assert rarity["boat"] == 0.0
    assert held_by(texts[0], rarity) > held_by(texts[1], rarity)
    assert rarity_of("what is the", texts) == {}


def test_a_small_word_that_turns_the_question_round_tells_rows_apart() -> None:
    rows = ["Swipe down on the home screen | View the menu.", "Swipe up on the home screen | View messages."]
    rarity = rarity_of("What does swiping up on the home screen do?", rows)
    assert held_by(rows[1], rarity) > held_by(rows[0], rarity)
    assert held_by("Anything", {}) == 0.0
