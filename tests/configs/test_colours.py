"""The colours of findings are read on the paper that they stand on."""

from __future__ import annotations

import pytest

from configs import CONTRADICTION, PROOF, UNCONFIRMED, Shades

SHADES = [PROOF, CONTRADICTION, UNCONFIRMED]
LIGHT, DARK = "#faf9f6", "#1f2223"


def luminance(colour: str) -> float:
    parts = [part / 255 for part in bytes.fromhex(colour[1:])]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """As WCAG 2 counts it: words need 4.5."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("shades", SHADES)
def test_words_are_read_on_every_paper(shades: Shades) -> None:
    pairs = [
        (shades.light, LIGHT),
        (shades.light, shades.pale),
        (shades.deep, LIGHT),
        (shades.dark, DARK),
        (shades.dark, shades.pale_dark),
    ]
    assert [pair for pair in pairs if contrast(*pair) < 4.5] == []
