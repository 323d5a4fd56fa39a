"""Values are computed again from the workings that sentences state, and only from those that can be read."""

import pytest

from plugins.evidence.verification import recompute


@pytest.mark.parametrize(
    ("text", "agrees", "figures"),
    [
        ("5.34% (operating margin, 2024: Operating surplus 1,082 / Total revenue 20,250).", True, ["1,082", "20,250"]),
        ("5.35% (operating margin, 2024: Operating surplus 1,082 / Total revenue 20,250).", False, ["1,082", "20,250"]),
        ("20,250 (total revenue, 2024: Total revenue 20,250, in thousands).", True, ["20,250"]),
        ("12.5% (tax rate, 2024: Tax rate 12.5%).", True, ["12.5%"]),
        ("1.23 (quick, 2021: (Assets - net 100 - Stock (loss) (12)) / Debt 91.06).", True, ["100", "(12)", "91.06"]),
        ("0.50 (the average of x, 2020: A 1 / B 2; 2021: A 2 / B 4).", True, ["1", "2", "2", "4"]),
        ("2.00 (turnover, 2021: Revenue 24 / the average of Assets 10 and 14).", True, ["24", "10", "14"]),
        ("7.00 (days, 2021: 365 × Stock 7 / Cost 365).", True, ["365", "7", "365"]),
    ],
)
def test_a_working_is_computed_again(text: str, agrees: bool, figures: list[str]) -> None:
    found = recompute(text, text.split(" ", maxsplit=1)[0])
    assert found is not None
    assert (found[0], found[2]) == (agrees, figures)


@pytest.mark.parametrize(
    "text",
    [
        "7 (counted tables on pages 2, 3, 7).",
        "10 (counted pages: report.pdf 10).",
        "2.00 (x, 2021: A 2 / B 0).",
        "2.00 (x, 2021: __import__('os') 2).exit(1) (y, 2021: 3).",
        "2.00 (x, 2021: A 2 million / B 1).",
        "2.00 (x, 2021: " + "(" * 500 + "A 2).",
        "Nobody counted it (x, 2021: A 2).",
        "2.00 (x, 2021: " + "A 2 + " * 1000 + "A 2).",
    ],
)
def test_what_has_no_working_that_can_be_read_is_not_computed(text: str) -> None:
    assert recompute(text, text.split(" ", maxsplit=1)[0]) is None
