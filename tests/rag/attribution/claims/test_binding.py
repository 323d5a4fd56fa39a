"""Numbers side by side: the two ends of a range, and how loud the words around a number speak for it."""

from __future__ import annotations

import pytest

from rag.attribution.claims import claims_of
from rag.attribution.claims.binding import ELLIPSIS, _firsts, _voices, range_partner, rival


@pytest.mark.parametrize(
    ("text", "quantity", "partner"),
    [
        ("open from April to July", "April", "July"),
        ("open from April to July", "July", "April"),
        ("open 10-15 days", "10", "15 days"),
        ("open in April, shut in July", "April", None),
        ("open from April to 12 boats", "April", None),
        ("12 boats, open from April to July", "12", None),
    ],
)
def test_a_range_has_two_ends(text: str, quantity: str, partner: str | None) -> None:
    claims = claims_of(text)
    (asked,) = (q for q in claims.quantities if claims.said(q) == quantity)
    found = range_partner(claims, asked)
    assert (found and claims.said(found)) == partner


def test_the_end_of_one_range_is_not_that_of_another() -> None:
    text = claims_of("The ferry runs from April to July, and from September to October.")
    sentence = claims_of("The ferry runs from April to October.")
    asked = sentence.quantities[1]
    found = rival(sentence, asked, text, [q for q in text.quantities if q.month == 10])
    assert found is not None
    assert text.said(found) == "July"


@pytest.mark.parametrize(
    ("text", "firsts"),
    [
        ("The mill has 12 sacks and 15 barrels.", [12]),
        ("The mill has 12 sacks. The barn has 15.", []),
        ("The mill has 12 and 15 sacks. The barn has 3, 4 and 5.", [12, 3]),
        ("The mill has 12 sacks. The barn has 3 and 4 sacks. It is 9 years old.", [3]),
        ("The mill has 12 sacks.", []),
    ],
)
def test_the_first_of_several_numbers_in_a_sentence(text: str, firsts: list[int]) -> None:
    part = claims_of(text)
    starts = _firsts(part, part.quantities)
    assert [q.value for q in part.quantities if q.start in starts] == firsts


def test_a_number_in_the_middle_of_a_word_has_a_place() -> None:
    text = claims_of("The mill has 12 boats, forty-\nfive rafts and 3 bells.")
    sentence = claims_of("The mill has 3 bells.")
    (asked,) = sentence.quantities
    assert 5 in [q.value for q in text.quantities]
    assert rival(sentence, asked, text, [q for q in text.quantities if q.value == 3]) is None


def test_a_word_of_the_first_number_speaks_a_quarter_as_loud() -> None:
    part = claims_of("mill 12 sacks, barn 15 sacks")
    loud = {}
    for word, number in (("mill", 12), ("barn", 15)):
        said = claims_of(f"{word} {number} sacks")
        voices = _voices(said, said.quantities[0], part, part.quantities)
        loud[number] = voices[next(q.start for q in part.quantities if q.value == number)]
    assert loud[12] == pytest.approx(ELLIPSIS * loud[15])
    assert loud[15] == pytest.approx(0.7788, abs=1e-3)  # one word before the number: exp(-1/4)
