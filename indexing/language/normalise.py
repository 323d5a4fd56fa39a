"""Normal forms of words and signs, in which texts are compared."""

from __future__ import annotations

import re
import unicodedata

MARKS = "\u00ad\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
"""A class of characters: accents that stand by themselves, and what nobody sees."""
_INVISIBLE = re.compile(f"[{MARKS}]")
_CONFUSED = str.maketrans("01i|!59b6", "ollllsg88")


def fold(text: str) -> str:
    """Return a word as it is compared: one form for ligatures, cases and widths, nothing invisible."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))).casefold()
    return _INVISIBLE.sub("", folded)


def without_accents(word: str) -> str:
    """Return a word without accents, be they part of a letter or signs of their own beside it, as some files draw them.

    >>> without_accents("Zürich")
    'Zurich'
    """
    plain = (c for c in unicodedata.normalize("NFD", word.replace("\u0131", "i")) if not unicodedata.combining(c))
    return "".join(c for c in plain if unicodedata.category(c) not in ("Lm", "Sk"))


def look_alike(key: str) -> str:
    """Return a folded word as text recognition may confuse it: o and 0, l and 1, s and 5 are one, accents are none."""
    return without_accents(key).translate(_CONFUSED).replace("rn", "m").replace("vv", "w")
