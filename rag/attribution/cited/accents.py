"""Accents: combine an accent that stands apart, as PDFs of TeX print it ("Herv´e"), with the letter beside it."""

# ruff: noqa: RUF001, RUF002  the accents themselves

from __future__ import annotations

import re
import unicodedata

_COMBINING = {
    "´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303", "¸": "\u0327", "ˇ": "\u030c",
    "˘": "\u0306", "˙": "\u0307", "˚": "\u030a", "˝": "\u030b", "˛": "\u0328", "¯": "\u0304",
}  # fmt: skip
_BELOW = frozenset("¸˛")
"""The accents under a letter, which TeX prints behind it; it prints all others before it."""
_DOTLESS = {"ı": "i", "ȷ": "j"}
_VOWELS = frozenset("aeiouyıAEIOUY")
_ACCENT = re.compile(rf"([^\W\d_]?)([{''.join(_COMBINING)}])(\s?)([^\W\d_]?)")
_SIGN = rf"[{''.join(_COMBINING).replace('`', '')}]"
_LOOSE, _BESIDE = re.compile(_SIGN), re.compile(rf"(?<![^\W\d_]){_SIGN}|{_SIGN}(?![^\W\d_])")


def with_accents(text: str) -> str:
    """Return the text with each loose accent on its letter, where the two make one character; else it stays.

    >>> with_accents("Herv´e J´egou, Mar´ıa and Franc¸ois"), with_accents("a `quoted' word, O´Neill")
    ('Hervé Jégou, María and François', "a `quoted' word, O´Neill")
    """
    return text if text.isascii() and "`" not in text else _ACCENT.sub(_combine_accent, text)


def has_loose_accent(text: str) -> bool:
    """Return True if an accent stands in the text that is on no letter, and not between two as an apostrophe is."""
    return _BESIDE.search(text) is not None


def without_loose_accents(text: str) -> str:
    """Return the text without accents that are on no letter."""
    return _LOOSE.sub("", text)


def _combine_accent(match: re.Match[str]) -> str:
    """Put an accent on one of the letters around it, or leave them unchanged."""
    before, sign, gap, after = match.groups()
    if sign == "`" and (gap or not before or not after):
        return match[0]  # an opening quote
    if sign == "´" and before.isupper() and after.isupper() and not gap:
        return match[0]  # an apostrophe
    preceding, following = _on(before, sign), _on(after, sign)
    behind = sign in _BELOW or not following or (bool(gap) and before in _VOWELS)
    if preceding and behind:
        return f"{preceding}{gap}{after}"
    return f"{before}{following}" if following else match[0]


def _on(letter: str, sign: str) -> str:
    """Return the letter with the accent on it; empty where there is no such character."""
    whole = unicodedata.normalize("NFC", _DOTLESS.get(letter, letter) + _COMBINING[sign]) if letter else ""
    return whole if len(whole) == 1 else ""
