"""A number of a claim that follows from its other numbers, in words that say how."""

import pytest

from rag.attribution.sums import derived_quantities
from rag.attribution.words import claims_of


def following(claim: str, *results: str) -> list[str]:
    """The numbers that follow from the others of a claim, of which `results` are not there."""
    every = claims_of(claim)
    there = [q for q in every.quantities if every.wording(q) not in results]
    return [every.wording(q) for q in derived_quantities(claim, there)]


@pytest.mark.parametrize(
    ("claim", "result"),
    [
        ("The total is 52 (Wave I) + 50 (Wave II) = 102.", "102."),
        ("The gap is 55.67 - 54.27 = 1.40", "1.40"),
        ("998 / 19845 = 5.03%", "5.03%"),
        ("It rose from 40 to 50, by 25%.", "25%"),
        ("Of 200 boats 50 sank, a share of 25%.", "25%"),
        ("The average of 40 and 50 is 45.", "45."),
        ("Together the 40, 50 and 60 boats are 150.", "150."),
        ("59% x 46% = 27.14%", "27.14%"),
    ],
)
def test_a_result_that_follows_need_not_be_printed(claim: str, result: str) -> None:
    assert [r.rstrip(".") for r in following(claim, result, result.rstrip("."))] == [result.rstrip(".")]


@pytest.mark.parametrize(
    ("claim", "result"),
    [
        ("Together they are 52 + 50 = 103.", "103"),
        ("It rose from 40 to 50, by 35%.", "35%"),
        ("The first had 40 boats, the second 50: 10 more in the first.", "10"),
        ("The harbour has 40 boats, 50 lamps and 10 ropes.", "10"),
    ],
)
def test_what_does_not_follow_does_not(claim: str, result: str) -> None:
    assert following(claim, result, f"{result}.") == []
