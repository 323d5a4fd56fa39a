"""The language of a question, as far as it matters: the embedded default embedder reads English."""

from __future__ import annotations

import re

from indexing.embed import ENGLISH, STOPWORDS

LATIN = "\u024f"
"""The last letter of the Latin alphabets of Europe in Unicode."""

FOREIGN = (
    "The question does not seem to be English, which is the language that the embedder reads: only pages with words of "
    "the question itself were taken. Ask in English, or in the words of the document."
)
"""The note on a question in another language."""
UNFITTED = (
    "This collection has a text embedder of its own, to which “may answer” and “related”, and the withholding of "
    "answers, are not fitted: take them as a rough guess."
)
"""The note on a quote that was found with another embedder than the default one."""

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


def unread(question: str, embedder: str) -> bool:
    """Return True if the embedder of a collection surely does not read a question; of one's own, nothing is known."""
    return embedder == "minilm" and is_foreign(question)


def embedder_note(question: str, embedder: str) -> tuple[str, ...]:
    """Return the note on what the embedder of a collection means for the quotes that answer a question, if any."""
    if embedder != "minilm":
        return (UNFITTED,)
    return (FOREIGN,) if is_foreign(question) else ()


_SHARED = frozenset(["am", "an", "as", "at", "in", "on", "so", "was", "also", "die", "man", "war"])
"""The English function words that other languages write alike."""
