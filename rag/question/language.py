"""The language of a question, as far as it matters: the embedded default embedder reads English."""

from __future__ import annotations

import re

from indexing.embed import ENGLISH, STOPWORDS

LATIN = "\u024f"
"""The last letter of the Latin alphabets of Europe in Unicode."""

_WORD = re.compile(r"[^\W\d_]+")


def is_foreign(question: str) -> bool:
    """Return True if a question is surely not English: no word of it is, and it has function words of another language.

    A letter that is not Latin, or the sign that opens a Spanish question, is as good as a word.

    >>> is_foreign("Wann öffnet das Museum?"), is_foreign("GPT-4 vanilla ICL"), is_foreign("Was the museum closed?")
    (True, False, False)
    """
    words = [word.lower() for word in _WORD.findall(question)]
    others = STOPWORDS - ENGLISH
    if any(word in ENGLISH and word not in _SHARED for word in words):
        return False
    return any(word in others for word in words) or any(c > LATIN and c.isalpha() for c in question) or "¿" in question


_SHARED = frozenset(["am", "an", "as", "at", "in", "on", "so", "was", "also", "die", "man", "war"])
"""The English function words that other languages write alike."""
