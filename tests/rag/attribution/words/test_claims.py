"""What a sentence claims: which words are its own, and how far what it says reaches."""

from __future__ import annotations

import pytest

from rag.attribution.words import claims_of


def test_a_word_right_behind_a_number_is_a_word() -> None:
    glued = claims_of("It cost 5 mn.Holm paid it.")
    assert [glued.wording(q) for q in glued.quantities] == ["5 mn."]
    assert [glued.said_word(t) for t in glued.words] == ["cost", "Holm", "paid"]


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
