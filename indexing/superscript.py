"""Superscripts: signs that a document sets above the line, in Unicode's spelling of them: 2³¹, 48.27¹, 83ᵃ.

Read in line, two to the power of 31 is 231, and the mark of a note is the last digit of a figure.
"""

from __future__ import annotations

from collections.abc import Sequence

RAISED_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
"""Unicode's raised digits, in their order."""
RAISED_LETTERS = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
"""Unicode's raised small letters: all but q."""
MOST_LETTERS = 6
"""The most raised letters: the marks of the columns that a figure is compared with. More are a word."""
_ENDINGS = frozenset(("st", "nd", "rd", "th", "er", "re"))
"""The endings of ordinals, which nobody reads for anything else."""
_DIGITS = "0123456789"
_SIGNS = str.maketrans(f"{_DIGITS}+-\u2212\u2013", f"{RAISED_DIGITS}⁺⁻⁻⁻")
_OTHERS = "+-\u2212\u2013 ,;.\u00a0\n\t"
_LETTERS = str.maketrans("abcdefghijklmnoprstuvwxyz", RAISED_LETTERS)


def spell(text: str, parts: Sequence[str], *, above: bool) -> str:
    """Return text as it is spelled behind the `parts` of its paragraph: raised, if it stands `above` the line."""
    return to_superscript(text, parts[-1] if parts else "") if above else text


def to_superscript(text: str, before: str = "") -> str:
    """Return text that is set above the line, character by character in Unicode's spelling; `before` stands before it.

    These are digits with their signs, and letters behind a digit that no ordinal ends with. Other text is returned
    as it is: it reads alike in the line.
    """
    bare = text.strip()
    if not bare.strip(_DIGITS + _OTHERS) and any(c in _DIGITS for c in bare):
        return text.translate(_SIGNS)
    marks = before[-1:].isdigit() and not text[:1].isspace() and len(bare) <= MOST_LETTERS and bare not in _ENDINGS
    return text.translate(_LETTERS) if marks and all(ord(c) in _LETTERS for c in bare) else text
