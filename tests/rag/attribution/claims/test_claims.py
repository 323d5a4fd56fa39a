"""What a sentence claims: which words are its own, and how far what it says reaches."""

from __future__ import annotations

import pytest

from rag.attribution.claims import claims_of
from rag.attribution.claims.claims import position, tie


def test_a_word_right_behind_a_number_is_a_word() -> None:
    glued = claims_of("It cost 5 mn.Holm paid it.")
    assert [glued.said(q) for q in glued.quantities] == ["5 mn."]
    assert [glued.said_word(t) for t in glued.words] == ["cost", "Holm", "paid"]


def test_a_place_is_counted_in_words_to_the_end_of_the_text() -> None:
    claims = claims_of("mill, barn and forty-\nfive boats")
    assert [position(claims, claims.text.index(word)) for word in ("mill", "barn", "boats")] == [
        next(t.at for t in claims.tokens if t.key == key) for key in ("mill", "barn", "boats")
    ]
    assert position(claims, len(claims.text) - 1) == claims.tokens[-1].at
    assert position(claims_of("..."), 1) == 0.0


def test_a_year_ties_a_number_to_what_is_said_of_the_same_year() -> None:
    sentence, text = claims_of("in 2019 fares were 12"), claims_of("in 2019 fares were 12")
    other = claims_of("in 2020 fares were 12")
    at = sentence.text.index("12")
    assert tie(sentence, at, other, at) < tie(sentence, at, text, at)


@pytest.mark.parametrize(
    ("text", "negations"),
    [
        ("The mill did not need wheat.", ["not"]),
        ("It is not one of the nine boats.", ["not"]),
        ("No new boats came.", ["No"]),
        ("Boat no. 7 came.", []),
        ("No 7 came.", []),
        ("No more than seven came.", []),
        ("Not least the boats came.", []),
        ("They don't sail.", ["don't"]),
    ],
)
def test_what_denies_and_what_only_looks_like_it(text: str, negations: list[str]) -> None:
    claims = claims_of(text)
    assert [claims.said_word(t) for t in claims.negations] == negations
