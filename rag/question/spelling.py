"""A misspelt question -> the words of the collection that were meant.

A word that the embedder does not know as a whole, and that none of the best pages has, may be a slip of the fingers:
then the page that the rest of the question leads to has the right one. A name has to be closer to one that the pages
write as a name, and to no other: one that no page has is a condition that is not met (`rag.question.conditions`).
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from indexing.language import ALPHA_WORD

LETTERS = 5
"""The least letters of a word that may be misspelt: shorter ones are like too many others."""
MOST_LETTERS = 30
"""The most letters of one; longer strings are no words."""
ALIKE = 0.8
"""The least similarity (difflib's ratio) of a word with the one that was meant."""
NAMES_ALIKE = 0.84
"""The same of two names: another name is soon one letter away."""
MOST_SLIPS = 4
"""The words that are looked up, the first of a question: the bound of the work."""


def slips_of(question: str, tokens: Sequence[str], pages: Sequence[str]) -> dict[str, str]:
    """Return the misspelt words of a question, each with the word of the pages that was meant.

    `tokens` are those of the question, where a part that continues a word begins with "##"; `pages` the texts of the
    best pages.

    >>> slips_of("the percentge of adults", ("the", "per", "##cent", "##ge", "of", "adults"), ["A percentage."])
    {'percentge': 'percentage'}
    """
    complete = {token for n, token in enumerate(tokens) if not (n + 1 < len(tokens) and tokens[n + 1].startswith("##"))}
    unknown_words = [
        word
        for word in dict.fromkeys(ALPHA_WORD.findall(question))
        if word[1:].islower()
        and LETTERS <= len(word) <= MOST_LETTERS
        and word.lower() not in complete
        and not (word[0].isupper() and question.lstrip().startswith(word))
    ][:MOST_SLIPS]
    if not unknown_words:
        return {}
    vocab = {word for page in pages for word in ALPHA_WORD.findall(page) if LETTERS - 1 <= len(word) <= MOST_LETTERS}
    plain = {word.lower() for word in vocab}
    names = {word.lower() for word in vocab if word[0].isupper()}
    corrections = {}
    for word in unknown_words:
        low, is_name = word.lower(), word[0].isupper()
        near = [w for w in (names if is_name else plain) if w[0] == low[0] and abs(len(w) - len(word)) <= 2]
        close = difflib.get_close_matches(low, near, 2, NAMES_ALIKE if is_name else ALIKE) if low not in plain else []
        if close and not (is_name and len(close) > 1):
            corrections[word] = close[0].capitalize() if is_name else close[0]
    return corrections


def correct_spelling(question: str, slips: Mapping[str, str]) -> str:
    """Return the question with its misspelt words replaced by the words that were meant."""
    return ALPHA_WORD.sub(lambda word: slips.get(word[0], word[0]), question)
