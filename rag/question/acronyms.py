"""An acronym that the pages do not use -> the name that they spell out instead ("CEO": "Chief Executive Officer").

No list is kept: the name is read off the best pages, where its words begin with the letters of the acronym.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from indexing.language import ALPHA_WORD, lexicon_words

LEAST_LETTERS, MOST_LETTERS = 3, 6
"""The letters of an acronym: two fit too many pairs of words."""
MOST_ACRONYMS = 3
"""The acronyms of a question that are looked up, the first."""
_SMALL = frozenset(lexicon_words("name_joints"))


def acronyms_of(question: str, pages: Sequence[str]) -> dict[str, str]:
    """Return the acronyms of a question that no page has, each with the name that the pages spell out most often.

    The words of a name stand one after the other with a capital each; small words between them are passed over.

    >>> acronyms_of("Who is the CEO?", ["Ann Berg, Chief Executive Officer", "the Chief Executive Officer"])
    {'CEO': 'Chief Executive Officer'}
    """
    asked = [
        word
        for word in dict.fromkeys(ALPHA_WORD.findall(question))
        if LEAST_LETTERS <= len(word) <= MOST_LETTERS and word.isupper()
    ][:MOST_ACRONYMS]
    if not asked or question.isupper():
        return {}
    words = [ALPHA_WORD.findall(page) for page in pages]
    there = {word for page in words for word in page}
    names = {word: _spelled_out(word, words) for word in asked if word not in there}
    return {word: name for word, name in names.items() if name}


def has_letters(word: str, letters: str) -> bool:
    """Return whether a word has letters in this order, among others.

    >>> has_letters("adobe", "adbe")
    True
    """
    rest = iter(word)
    return all(letter in rest for letter in letters)


def _spelled_out(acronym: str, pages: Sequence[Sequence[str]]) -> str:
    """Return the run of words that begin with the letters of an acronym, the one that is met most often."""
    found: Counter[str] = Counter()
    for page in pages:
        for start, word in enumerate(page):
            if word[0] == acronym[0] and not word.isupper():
                found.update([run] if (run := _run(acronym, page, start)) else [])
    return found.most_common(1)[0][0] if found else ""


def _run(acronym: str, page: Sequence[str], start: int) -> str:
    """Return the run that begins at a word, as it stands; empty where it does not spell the acronym."""
    run: list[str] = []
    letters = 0
    for word in page[start : start + 2 * len(acronym)]:
        if word in _SMALL and 0 < letters < len(acronym):
            run.append(word)
            continue
        if word[0] != acronym[letters] or len(word) < 2:
            return ""
        run.append(word)
        letters += 1
        if letters == len(acronym):
            return " ".join(run)
    return ""
