"""Normalize words for comparison: folded, without accents, as OCR confuses them, or as stems without endings."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from indexing.language.lexicon import lexicon, lexicon_words

MARKS = "\u00ad\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
"""A class of characters: combining accents, and invisible characters."""
_INVISIBLE = re.compile(f"[{MARKS}]")
_CONFUSED = str.maketrans("01i|!59b6", "ollllsg88")
_ENDINGS = (
    ("sses", "ss", 2), ("ies", "y", 2), ("ied", "y", 2), ("ings", "", 3), ("ing", "", 3), ("ches", "ch", 2),
    ("shes", "sh", 2), ("xes", "x", 2), ("ss", "ss", 0), ("us", "us", 0), ("is", "is", 0), ("s", "", 3),
    ("eed", "eed", 0), ("ed", "", 3), ("ply", "ply", 0), ("ily", "ily", 0), ("ly", "", 4),
)  # fmt: skip
"""The endings, their replacements, and the least letters before them."""


def fold(text: str) -> str:
    """Return a word in lower case, in Unicode form NFKC (ligatures, widths), without invisible characters."""
    if text.isascii():
        return text.lower()
    folded_text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))).casefold()
    return _INVISIBLE.sub("", folded_text)


def without_accents(word: str) -> str:
    """Return a word without accents, whether part of a letter or separate characters beside it, as in some files.

    >>> without_accents("Zürich")
    'Zurich'
    """
    plain = (c for c in unicodedata.normalize("NFD", word.replace("\u0131", "i")) if not unicodedata.combining(c))
    return "".join(c for c in plain if unicodedata.category(c) not in ("Lm", "Sk"))


def look_alike(key: str) -> str:
    """Return a folded word without accents, and with characters that OCR confuses made the same: o and 0, l and 1."""
    return without_accents(key).translate(_CONFUSED).replace("rn", "m").replace("vv", "w")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a word, folded, without plural and verb endings: crude, but the same for both sides of a comparison.

    >>> stem("Resetting"), stem("calls"), stem("studies")
    ('reset', 'call', 'study')
    """
    key = fold(word)
    if len(key) <= 3 or not key.isalpha():
        return key
    for ending, instead, least in _ENDINGS:
        if key.endswith(ending) and len(key) - len(ending) >= least:
            key = key[: len(key) - len(ending)] + instead
            break
    if len(key) > 3 and key[-1] == key[-2] and key[-1] not in "lsz":
        key = key[:-1]
    return key[:-1] if len(key) > 3 and key[-1] == "e" else key


def meaning(word: str) -> str:
    """Return the stem that represents a word and its synonyms."""
    key = stem(word)
    return _SAME.get(key, key)


def opposite(one: str, other: str) -> bool:
    """Return True if two stems mean the opposite of each other."""
    return other in _OPPOSED.get(one, ())


_SAME = {stem(word): stem(row.split()[0]) for row in lexicon("en")["synonyms"] for word in row.split()}
_OPPOSED: dict[str, set[str]] = {}
for _pair in lexicon_words("opposites"):
    _one, _other = map(meaning, _pair.split("/"))
    if _one != _other:
        _OPPOSED.setdefault(_one, set()).add(_other)
        _OPPOSED.setdefault(_other, set()).add(_one)
