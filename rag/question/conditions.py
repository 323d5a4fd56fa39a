"""The conditions of a question: the numbers and names in it, and how many of them the best pages do not have.

"What did Contoso earn in 2013?" is not answered by a page without a Contoso, or by a document that ends in 2012,
however well the rest fits. Late interaction averages over the words of a question and so forgives a year or a name;
here each counts. Nothing is looked up in a list of ours: a condition is known by its form.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from indexing.language import STOPWORDS, lower_words

MOST_CONDITIONS = 24
"""The conditions that are looked for, the first of a question: the bound of the work."""
BEST_PAGES, TOGETHER_PAGES = 10, 5
"""The pages, best first, among which a condition is looked for, and those of which one may have them all."""
ALIKE = 0.84
"""The least similarity (difflib's ratio) of a name with the word that it is a misspelling of."""
LEAST_SPELLED = 5
"""The least letters of a name that may be misspelt."""
SHOUTED_SHARE = 0.6
"""The share of capitalised words, after the first, above which capitals of a question mean nothing."""

_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*")
_FISCAL = re.compile(r"fy?((?:19|20)?\d\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ConditionsMet:
    """How far pages meet conditions: `share` (0 to 1) on the page with the most of them, `nowhere` how many on none."""

    share: float = 1.0
    nowhere: int = 0


def conditions_of(question: str) -> tuple[str, ...]:
    """Return the numbers and names in a question, as they are written; FY2015 is the number 2015.

    A name is a word with a capital that begins no sentence and is no stop word.

    >>> conditions_of("What did the Acme group earn in FY2015, more than 2,300?")
    ('Acme', '2015', '2,300')
    """
    words = list(_WORD.finditer(question))
    shouted = sum(word[0][0].isupper() for word in words[1:]) > SHOUTED_SHARE * (len(words) - 1)
    conditions = []
    for place in words:
        word = place[0]
        if fiscal := _FISCAL.fullmatch(word):
            conditions.append(fiscal[1])
        elif word[0].isdigit() or (not shouted and _is_name(word) and not _begins(question, place.start())):
            conditions.append(word)
    return tuple(dict.fromkeys(conditions))[:MOST_CONDITIONS]


def _is_name(word: str) -> bool:
    return word[0].isupper() and len(word) > 1 and word.lower() not in STOPWORDS


def _begins(question: str, at: int) -> bool:
    """Return True if a sentence of the question begins at character `at`."""
    before = question[:at].rstrip(" \"'([\u201c\u2018")
    return not before or before[-1] in ".?!:"


def conditions_met(conditions: Sequence[str], pages: Sequence[str]) -> ConditionsMet:
    """Return how far the texts of pages, the best first, have the conditions; names may be slightly misspelt."""
    if not conditions or not pages:
        return ConditionsMet(0.0, len(conditions)) if conditions else ConditionsMet()
    texts = [text.lower() for text in pages[:BEST_PAGES]]
    vocabularies = [set(lower_words(text)) for text in texts]
    spellings = [_spellings(condition.lower(), set().union(*vocabularies)) for condition in conditions]
    there = [
        [_page_has(condition, text, words, forms) for condition, forms in zip(conditions, spellings, strict=True)]
        for text, words in zip(texts, vocabularies, strict=True)
    ]
    return ConditionsMet(
        max(sum(page) for page in there[:TOGETHER_PAGES]) / len(conditions),
        sum(not any(page[n] for page in there) for n in range(len(conditions))),
    )


def _page_has(condition: str, text: str, words: set[str], spellings: set[str]) -> bool:
    """Return True if a page, in lower case, has a number as it is written, or a name in one of its spellings."""
    if condition[0].isdigit():
        return condition.lower() in text or condition.replace(",", "") in text
    return not words.isdisjoint(spellings)


def _spellings(name: str, words: set[str]) -> set[str]:
    """Return the words that a name, in lower case, may stand for: itself, its plural or stem, a near misspelling."""
    if name[0].isdigit():
        return set()
    exact = {name, name.rstrip("s"), f"{name}s"} & words
    if exact or len(name) < LEAST_SPELLED:
        return exact
    stem = name[: max(LEAST_SPELLED, len(name) - 2)]
    near = [w for w in words if w[0] == name[0] and abs(len(w) - len(name)) <= 2 and w.isalpha()]
    return {w for w in words if w.startswith(stem)} | set(difflib.get_close_matches(name, near, 3, ALIKE))
