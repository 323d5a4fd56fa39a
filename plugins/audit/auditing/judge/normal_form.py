"""Normal form: a field as it is printed -> the words and letters by which it is compared.

Case, punctuation, hyphens, accents, alphabets and the commands of LaTeX say nothing of a work, so they are put aside.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from anyascii import anyascii

from plugins.audit.marks import with_accents, without_loose_accents
from plugins.audit.references import plain_latex

MOST_CHARACTERS = 2_000
"""The characters of a field that are read; no title is longer."""

_GREEK = re.compile(r"(?<![\u0370-\u03ff])[\u0391-\u03a9\u03b1-\u03c9](?![\u0370-\u03ff])")
_WORD = re.compile(r"[a-z0-9]+(?:(?:\+\+|(?<=\b[a-z])[+#])(?![a-z0-9]))?")
"""A word; "C#" and "C++" are two others, the charge of an ion ("N2+") is none of its letters."""
_QUOTES = str.maketrans("", "", "'\"`^")
_SPELLINGS = (("ae", "a"), ("oe", "o"), ("ue", "u"), ("isation", "ization"), ("ise", "ize"), ("ising", "izing"))
"""Two ways to write the same letters or ending: umlauts written out, and British spelling."""
_LIGATURE = re.compile(r"ff?[il]|ff")
"""The letters of which a PDF may have lost the one sign that they were printed as ("signi cance")."""
LEAST_OF_A_WORD = 3
"""The letters that must remain of a word without its ligatures."""


@lru_cache(8192)
def plain(text: str) -> str:
    """Return the text in small Latin letters, without marks of LaTeX, accents and quotation marks."""
    text = without_loose_accents(with_accents(text[:MOST_CHARACTERS]))
    text = plain_latex(unicodedata.normalize("NFKC", text))
    text = _GREEK.sub(lambda match: unicodedata.name(match[0]).rsplit(" ", 1)[1], text)
    return anyascii(text).casefold().translate(_QUOTES).replace("&", " and ")


@lru_cache(8192)
def words_of(text: str) -> tuple[str, ...]:
    """Return the words, numbers among them."""
    return tuple(_WORD.findall(plain(text)))


def letters_of(text: str) -> str:
    """Return the words with nothing between them: hyphens, spaces and lost ligatures make no difference."""
    return without_ligatures("".join(words_of(text)))


def in_one_spelling(letters: str) -> str:
    """Return the letters in one spelling, the same for "Müller", "Mueller" and "Muller"."""
    for variant, standard in _SPELLINGS:
        letters = letters.replace(variant, standard)
    return letters


def without_ligatures(letters: str) -> str:
    """Return the letters in one spelling, but for those of ligatures, unless hardly any other is left."""
    spelling = in_one_spelling(letters)
    bare = _LIGATURE.sub("", spelling)
    return bare if len(bare) >= LEAST_OF_A_WORD else spelling
