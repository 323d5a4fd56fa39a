"""The words that checking knows, from the lexicons of `indexing.language`: en.yaml says what each entry is."""

from __future__ import annotations

from indexing.language import lexicon, lexicon_words

NEGATIONS = frozenset(lexicon_words("negations"))
SOURCE_WORDS = lexicon_words("source_words")
CONNECTIVES = lexicon_words("connectives")
INQUIRY_VERBS = lexicon_words("inquiry_verbs")
FINDING_VERBS = lexicon_words("finding_verbs")
REPORTING_WORDS = lexicon_words("reporting_words")
AUXILIARIES = frozenset(lexicon_words("auxiliaries"))
DETERMINERS = frozenset(lexicon_words("determiners"))
LINKING_VERBS = frozenset(lexicon_words("linking_verbs"))
PAST_FORMS = frozenset(lexicon_words("irregular_past_forms"))
RELATION_WORDS = frozenset(lexicon_words("relation_words"))
DIRECTION_WORDS = frozenset(lexicon_words("direction_words"))
TITLES = lexicon_words("titles")
LIGHT_WORDS = lexicon_words("light_words")
PAGE_PARTS = lexicon_words("page_parts")
AUTHORS = lexicon_words("authors")
REQUIRED_PREPOSITIONS = frozenset(lexicon_words("required_prepositions"))
SUFFIXES = frozenset(("", *lexicon_words("suffixes")))
IMPLICIT_NEGATIONS = frozenset(lexicon_words("implicit_negations"))
EXCEPTION_WORDS = frozenset(lexicon_words("exception_words"))
CLAUSE_OPENERS = frozenset(lexicon_words("clause_openers"))
INCREASE_WORDS = frozenset(lexicon_words("increase_words"))
DECREASE_WORDS = frozenset(lexicon_words("decrease_words"))
COMPARATIVES = INCREASE_WORDS | DECREASE_WORDS
CHANGE_WORDS = frozenset(lexicon_words("change_words"))
SUPERLATIVES = frozenset(lexicon_words("superlatives"))
MEASURE_WORDS = lexicon_words("measure_words")

PARTICLES = tuple(frozenset(pair.split("/")) for pair in lexicon_words("particles"))
"""The pairs of small words that turn a verb round: "switch on", "switch off"."""
PREPOSITIONS = {
    word: frozenset(kinds.split()) for kinds, row in lexicon("en")["prepositions"].items() for word in row.split()
}
"""The words that tie what follows to what stands before -> the ways in which they do; those of no way fit any."""
