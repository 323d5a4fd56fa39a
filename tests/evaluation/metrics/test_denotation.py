"""Denotation accuracy, by examples of our own."""

from __future__ import annotations

import pytest

from evaluation.metrics import denotes


@pytest.mark.parametrize(
    ("answer", "gold", "same"),
    [
        (("33",), ("33",), True),
        (("$1,129",), ("1129",), True),
        (("7.826",), ("7.83",), True),
        (("7.8",), ("7.83",), False),
        (("-33",), ("33",), False),
        (("(33)",), ("-33",), True),
        (("19",), ("19 years",), True),
        (("Tern–Head",), ("tern-head",), True),
        (("Merrow", "Kelp"), ("Kelp", "Merrow"), True),
        (("Merrow",), ("Kelp", "Merrow"), False),
        (("Merrow", "Kelp"), ("Merrow",), False),
        ((), (), False),
        (("120",), ("Merrow",), False),
    ],
)
def test_members_must_be_the_same(answer: tuple[str, ...], gold: tuple[str, ...], same: bool) -> None:
    assert denotes(answer, gold) is same
