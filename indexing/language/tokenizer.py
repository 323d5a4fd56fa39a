"""Split a text into tokens, words with their spans, stems and weights, and normalize words for comparison."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache

from indexing.language.lexicon import lexicon, lexicon_words
from indexing.language.superscripts import POWER, power_key, without_note_marks

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
