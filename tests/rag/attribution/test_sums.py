"""A claim that reckons: its result follows from the rest, or is a mistake."""

from __future__ import annotations

import pytest

from rag.attribution.sums import reckoned


@pytest.mark.parametrize(
    ("claim", "left"),
    [
        ("The total is 52 (Wave I) + 50 (Wave II) = 102.", "The total is 52 (Wave I) + 50 (Wave II) ."),
        ("The gap is 55.67 - 54.27 = 1.40", "The gap is 55.67 - 54.27 "),
        ("449 (landline) + 1,051 (cellphone) = 1,500", "449 (landline) + 1,051 (cellphone) "),
        ("998 / 19845 = 5.03%", "998 / 19845 "),
        ("46 - 12 = 34%", "46 - 12 "),
        ("59% × 46% = 27.14%", "59% × 46% "),
        ("0.05 × 100 = 5%", "0.05 × 100 "),
        ("998 / 19,845 ≈ 0.0503 or 5.03%", "998 / 19,845  or 5.03%"),
    ],
)
def test_a_result_that_follows_need_not_be_printed(claim: str, left: str) -> None:
    assert reckoned(claim) == (left, "")


@pytest.mark.parametrize(
    "claim",
    [
        "n = 1,503 adults", "Sales = 4 million", "5 + 3 * 2 = 16", "no numbers at all",
        "Average = (1.40 + 0.49 + (-0.53)) / 3 = 0.4533", "(2 * 3) / 4 = 1.5",
    ],
)  # fmt: skip
def test_what_is_no_single_operation_is_left_as_it_is(claim: str) -> None:
    assert reckoned(claim) == (claim, "")


@pytest.mark.parametrize(
    ("claim", "mistake"),
    [
        ("Together they are 52 + 50 = 103.", "52 + 50 is 102, not 103"),
        ("It is 59% × 46% = 27.38%.", "59% × 46% is 27.14%, not 27.38%"),
        ("1 / 2 = 0.5%", "1 / 2 is 50%, not 0.5%"),
        ("52 + 50 ≈ 103", "52 + 50 is 102, not 103"),
    ],
)
def test_a_wrong_result_is_told(claim: str, mistake: str) -> None:
    assert reckoned(claim) == (claim, mistake)
