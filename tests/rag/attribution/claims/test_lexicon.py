"""The words that checking knows mean what they mean: numbers in order, scales, bounds, months."""

from __future__ import annotations

import pytest

from rag.attribution.claims import ORDINALS
from rag.attribution.claims.lexicon import BOUNDS, MONTHS, NUMBER_WORDS, SCALES

SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)


def test_number_words_count_up() -> None:
    assert [NUMBER_WORDS[word] for word in SMALL.split()] == list(range(20))
    tens = "twenty thirty forty fifty sixty seventy eighty ninety"
    assert [NUMBER_WORDS[word] for word in tens.split()] == list(range(20, 100, 10))


def test_ordinals_and_months_count_from_one() -> None:
    ordinals = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
    assert [ORDINALS[word] for word in ordinals.split()] == list(range(1, 13))
    months = "jan feb mar apr may jun jul aug sep oct nov dec"
    assert [MONTHS[word] for word in months.split()] == list(range(1, 13))


@pytest.mark.parametrize(
    ("words", "worth"),
    [
        ("dozen", 12), ("hundred hundreds", 100), ("k thousand thousands tausend 000", 1000), ("lakh", 10**5),
        ("m mm mn mio million millions millionen", 10**6), ("crore", 10**7),
        ("b bn billion billions mrd milliarde milliarden", 10**9), ("trillion trillions tn", 10**12),
    ],
)  # fmt: skip
def test_a_scale_is_worth_what_it_says(words: str, worth: int) -> None:
    assert {word for word, factor in SCALES.items() if factor == worth} == set(words.split())


def test_bounds_lean_to_their_side() -> None:
    most = {
        "no more than",
        "not more than",
        "up to",
        "at most",
        "less than",
        "fewer than",
        "under",
        "below",
        "maximum of",
    }
    assert {word for word, side in BOUNDS.items() if side == -1} == most
    assert set(BOUNDS.values()) == {-1, 1}
