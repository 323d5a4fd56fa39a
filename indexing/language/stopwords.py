"""Words that say little about where an answer stands, as the default embedder's tokenizer spells them."""

from __future__ import annotations

from indexing.language.lexicon import lexicon_words

ENGLISH = frozenset(lexicon_words("stopwords", "en"))
"""The stop words of English alone."""
STOPWORDS = frozenset(lexicon_words("stopwords"))
"""The stop words of English, German and French, and the words with which people speak of documents."""
