"""What a document sets above the line, as Unicode superscripts (2³¹, 48.27¹, 83ᵃ), and what it strikes out, marked.

On the line, two to the power of 31 would be 231, and the mark of a note the last digit of a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

RAISED_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
"""Unicode's superscript digits, in their order."""
RAISED_LETTERS = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
"""Unicode's superscript small letters: all but q."""
MOST_LETTERS = 6
"""The most superscript letters: the marks of the columns that a number is compared with. More are a word."""
_ENDINGS = frozenset(("st", "nd", "rd", "th", "er", "re"))
"""The endings of ordinals, which mean the same on the line."""
_DIGITS = "0123456789"
_SIGNS = str.maketrans(f"{_DIGITS}+-\u2212\u2013", f"{RAISED_DIGITS}⁺⁻⁻⁻")
_OTHERS = "+-\u2212\u2013 ,;.\u00a0\n\t"
_LETTERS = str.maketrans("abcdefghijklmnoprstuvwxyz", RAISED_LETTERS)


def spell(text: str, parts: Sequence[str], *, above: bool) -> str:
    """Return text as superscript if it is set `above` the line, else unchanged; `parts` are the texts before it."""
    return to_superscript(text, parts[-1] if parts else "") if above else text


def to_superscript(text: str, before: str = "") -> str:
    """Return text as Unicode superscripts, character by character; `before` is the text before it.

    This applies to digits with their signs, and to letters after a digit, except the endings of ordinals. Other text
    is returned unchanged: it means the same on the line.
    """
    bare = text.strip()
    if not bare.strip(_DIGITS + _OTHERS) and any(c in _DIGITS for c in bare):
        return text.translate(_SIGNS)
    is_mark = before[-1:].isdigit() and not text[:1].isspace() and len(bare) <= MOST_LETTERS and bare not in _ENDINGS
    return text.translate(_LETTERS) if is_mark and all(ord(c) in _LETTERS for c in bare) else text


STRUCK_BEGIN, STRUCK_END = "[struck out: ", "]"
"""The marks before and after struck-out text."""


def struck_out(text: str) -> str:
    """Return text with the marks of struck-out text and a blank; blanks are returned unchanged."""
    return f"{STRUCK_BEGIN}{text.strip()}{STRUCK_END} " if text.strip() else text


def as_printed(words: Sequence[str]) -> tuple[list[str], set[int]]:
    """Return the words of a line without the marks, and the indices of those that are struck out.

    >>> as_printed(["It", "costs", "[struck out: 5", "crowns]", "[3]"])
    (['It', 'costs', '5', 'crowns', '[3]'], {2, 3})
    """
    printed_words: list[str] = []
    struck_indices: set[int] = set()
    inside = False
    for n, word in enumerate(words):
        inside |= word.startswith(STRUCK_BEGIN)
        struck_indices |= {n} if inside else set()
        ends = inside and word.endswith(STRUCK_END)
        printed_words.append(word.removeprefix(STRUCK_BEGIN).removesuffix(STRUCK_END if ends else ""))
        inside &= not ends
    return printed_words, struck_indices


def without_struck(text: str) -> str:
    """Return a text of the same length with blanks for struck-out text and its marks.

    >>> without_struck("It costs [struck out: 5] 7 crowns.")
    'It costs                 7 crowns.'
    """
    return _STRUCK.sub(lambda match: " " * len(match[0]), text) if STRUCK_BEGIN in text else text


_STRUCK = re.compile(rf"{re.escape(STRUCK_BEGIN)}[^\]]*+(?:{re.escape(STRUCK_END)})?+")
