"""The language of a question, and the words of the collection that a misspelt one meant.

A word that the embedder does not know as a whole, and that none of the best pages has, may be a slip of the fingers:
then the page that the rest of the question leads to has the right one. A name has to be closer to one that the pages
write as a name, and to no other: one that no page has is a condition that is not met (`rag.question.clauses`).
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

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
