"""Numbers in words: cardinals, ordinals, and the words and signs that multiply a number. Keys are lower case."""

from __future__ import annotations

from indexing.language.lexicon import lexicon, lexicon_values, lexicon_words

NUMBER_WORDS = lexicon_values("numbers")
AMBIGUOUS_NUMBERS = frozenset(lexicon_words("ambiguous_numbers"))
"""The number words that more often mean something else: they are no number unless a digit stands there."""
ORDINALS = lexicon_values("ordinals")

_SIGNS = {sign: float(value) for value, row in lexicon("units")["scale_signs"].items() for sign in row.split()}
SCALE_WORDS: dict[str, float] = {word: float(value) for word, value in lexicon_values("scales").items()}
"""The scales that are words of their own; the others stand at a number ("1.2M", "$5m")."""
SCALES: dict[str, float] = SCALE_WORDS | _SIGNS

HEDGES = lexicon_words("hedges")
"""The words before a number that make it approximate."""
BOUNDS: dict[str, int] = {
    phrase.strip(): sign for sign, row in lexicon("en")["bounds"].items() for phrase in row.split("|")
}
"""The phrases that make a number the most (-1) or the least (1)."""
