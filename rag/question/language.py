"""The language of a question, as far as it matters: the embedded default embedder reads English."""

from __future__ import annotations

from indexing import IndexingSettings, language_of
from indexing.language import ALPHA_WORD, ENGLISH, STOPWORDS, lexicon_words

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

UNREAD = (
    "The question does not seem to be in a language that the embedder of this collection reads ({languages}): only "
    "pages with words of the question itself were taken. Ask in one of these, or in the words of the document."
)
"""The note on a question in a language that an embedder of the user's own is not said to read."""


def is_foreign(question: str) -> bool:
    """Return True if a question has no English function word, but one of another language.

    A letter that is not Latin, or the sign that opens a Spanish question, counts like a word of another language.

    >>> is_foreign("Wann öffnet das Museum?"), is_foreign("GPT-4 vanilla ICL"), is_foreign("Was the museum closed?")
    (True, False, False)
    """
    words = [word.lower() for word in ALPHA_WORD.findall(question)]
    others = STOPWORDS - ENGLISH
    if any(word in ENGLISH and word not in _SHARED for word in words):
        return False
    return any(word in others for word in words) or any(c > LATIN and c.isalpha() for c in question) or "¿" in question


ASKING = frozenset(lexicon_words("question_words"))
"""Words by which German and French ask, besides their function words: no answer has to have them."""


def is_unread_language(question: str, made_with: IndexingSettings) -> bool:
    """Return True if a collection's embedder surely does not read a question's language, by its `text_languages`."""
    languages = made_with.text_languages
    if made_with.embedder == "minilm" or languages == ("en",):
        return is_foreign(question)
    return bool(languages) and language_of(question) not in ("", *languages)


def embedder_note(question: str, made_with: IndexingSettings) -> tuple[str, ...]:
    """Return the notes on what the embedder of a collection means for the quotes that answer a question."""
    foreign = is_unread_language(question, made_with)
    if made_with.embedder == "minilm":
        return (FOREIGN,) if foreign else ()
    languages = ", ".join(made_with.text_languages)
    return (UNFITTED, UNREAD.format(languages=languages)) if foreign else (UNFITTED,)


_SHARED = frozenset(["am", "an", "as", "at", "in", "on", "so", "was", "also", "die", "man", "war"])
"""The English function words that other languages write alike."""
