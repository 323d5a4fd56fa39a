"""Raised signs are spelled as Unicode does, and what reads alike in the line stays."""

from __future__ import annotations

import pytest

from indexing.superscript import raised


@pytest.mark.parametrize(
    ("text", "before", "spelled"),
    [
        ("31", "with 2", "³¹"),
        ("-4", "10", "⁻⁴"),
        ("\u22124", "10", "⁻⁴"),
        ("2+", "Ca", "²⁺"),
        ("1, 2", "Holm", "¹, ²"),
        (" 27", "end.”", " ²⁷"),
        ("cd", "74", "ᶜᵈ"),
        ("n", "2", "ⁿ"),
        ("th", "16", "th"),
        ("er", "1", "er"),
        ("cd", "word", "cd"),
        (" cd", "74", " cd"),
        ("q", "74", "q"),
        ("abcdefg", "74", "abcdefg"),
        ("(1)", "Plan", "(1)"),
        ("[12]", "word", "[12]"),
        ("TM", "Duty", "TM"),
        ("-", "a", "-"),
        ("", "2", ""),
    ],
)
def test_digits_are_raised_and_the_marks_behind_them(text: str, before: str, spelled: str) -> None:
    assert raised(text, before) == spelled
    assert len(spelled) == len(text)
