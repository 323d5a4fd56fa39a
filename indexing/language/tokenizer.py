"""Split a text into tokens, words with their spans, stems and weights, or into plain words in lower case."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from indexing.language.lexicon import lexicon_words
from indexing.language.raised_signs import POWER, power_key, without_note_marks
from indexing.language.stems import MARKS, fold, meaning

WORD = re.compile(r"[^\W_]+")
"""A word: letters and digits."""
ALPHA_WORD = re.compile(r"[^\W\d_]+")
"""A word of letters alone."""
WORD_WEIGHT, NAME_WEIGHT, NUMBER_WEIGHT = 1.0, 2.0, 3.0
"""The weights that a matching word, name and number add to the score of a passage."""
FUNCTION_WORDS = frozenset(lexicon_words("function_words"))

CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""A class of characters: those of scripts without blanks between words."""
_LETTERS = rf"[^\W_{CJK}][{MARKS}]*"
_WORD = rf"(?:{_LETTERS})+(?:['’](?:{_LETTERS})+)*"
_LOWER = "a-zß-öø-ÿ"
_BROKEN = rf"(?<=[{_LOWER}])[-\u2010]\s+(?!(?:and|or|und|oder|to|et|ou)\b)(?=[{_LOWER}]){_WORD}"
TOKEN = re.compile(rf"[{CJK}]|{POWER}|{_WORD}(?:{_BROKEN})?")
_COORDINATES = frozenset(("and", "or", "but", "while", "und", "oder", "aber", "et"))
_SEPARATORS = re.compile(r"[-\u2010\s]+")


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text, `text[start:end]`, folded (`key`) and reduced to its meaning (`stem`).

    `at` is its index in the text in words, where a comma counts as four more and the end of a sentence as eight.
    """

    key: str
    stem: str
    start: int
    end: int
    at: float
    name: bool
    stop: bool

    @property
    def weight(self) -> float:
        """The weight that it adds to a match."""
        return 0.0 if self.stop else NAME_WEIGHT if self.name else WORD_WEIGHT


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[Token, ...]:
    """Return the words of a text in order; in scripts without blanks, the characters."""
    results: list[Token] = []
    at, end, opening = 0.0, 0, True
    text = without_note_marks(text)
    for match in TOKEN.finditer(text):
        gap = text[end : match.start()]
        step = _step(gap)
        opening = opening or step >= 8
        at += step + (2 if results and results[-1].key in _COORDINATES else 0)
        word = match.group()
        key = power_key(word) or fold(_SEPARATORS.sub("", word)).replace("’", "'")
        key = key.removesuffix("'s")
        lone = len(word) == 1 and word != "I"
        name = _is_name(word) and (not opening or word[1:].upper() == word[1:] != "" or _mixes_letters_and_digits(word))
        stop = not word[0].isdigit() and key in FUNCTION_WORDS and not (lone and name)
        results.append(Token(key, meaning(key), *match.span(), at, name and not stop, stop))
        end, opening = match.end(), False
    if len(results) == 1 and len(results[0].key) == 1 and text[results[0].start].isupper():  # a grade, not an article
        return (replace(results[0], name=True, stop=False),)
    return tuple(results)


def _step(gap: str) -> float:
    """Return the distance of two words in words, 1 to 9, by the text between them: more for punctuation."""
    if gap in (" ", ""):
        return 1.0
    if "\n" in gap or re.search(r"[.!?]\s", gap):
        return 9.0
    return 6.0 if ";" in gap or ":" in gap else 5.0 if re.search(r"[,|()–—]", gap) else 1.0


def _is_name(word: str) -> bool:
    return word[0].isupper() or _mixes_letters_and_digits(word)


def _mixes_letters_and_digits(word: str) -> bool:
    """Return True for a word with both letters and digits, as names have: GPT4, CR2477."""
    return any(c.isdigit() for c in word) and any(c.isalpha() for c in word)


def lower_words(text: str) -> list[str]:
    """Return the words of a text in order, in lower case.

    >>> lower_words("The ferry's 2nd deck")
    ['the', 'ferry', 's', '2nd', 'deck']
    """
    return WORD.findall(text.lower())
