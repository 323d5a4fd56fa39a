"""The words that checking knows, from the lexicons of `indexing.language`: en.yaml says what each entry is."""

from __future__ import annotations

from indexing.language import lexicon, words

_ENGLISH = lexicon("en")

HEDGES = words("hedges")
LABELS = words("labels")
NEGATIONS = frozenset(words("negations"))
STOP = frozenset(words("function_words"))
SOURCE_WORDS = words("source_words")
CONNECTIVES = words("connectives")
INQUIRY_VERBS = words("inquiry_verbs")
FINDING_VERBS = words("finding_verbs")
REPORTING_WORDS = words("reporting_words")
AUXILIARIES = frozenset(words("auxiliaries"))
DETERMINERS = frozenset(words("determiners"))
LINKING_VERBS = frozenset(words("linking_verbs"))
PAST_FORMS = frozenset(words("irregular_past_forms"))
RELATION_WORDS = frozenset(words("relation_words"))
DIRECTION_WORDS = frozenset(words("direction_words"))
TITLES = words("titles")
LIGHT_WORDS = words("light_words")
PAGE_PARTS = words("page_parts")
AUTHORS = words("authors")
REQUIRED_PREPOSITIONS = frozenset(words("required_prepositions"))
SUFFIXES = frozenset(("", *words("suffixes")))
IMPLICIT_NEGATIONS = frozenset(words("implicit_negations"))
EXCEPTION_WORDS = frozenset(words("exception_words"))
CLAUSE_OPENERS = frozenset(words("clause_openers"))
INCREASE_WORDS = frozenset(words("increase_words"))
DECREASE_WORDS = frozenset(words("decrease_words"))
CHANGE_WORDS = frozenset(words("change_words"))
SUPERLATIVES = frozenset(words("superlatives"))
MEASURE_WORDS = words("measure_words")

PARTICLES = tuple(frozenset(pair.split("/")) for pair in words("particles"))
"""The pairs of small words that turn a verb round: "switch on", "switch off"."""
BOUNDS = {phrase.strip(): sign for sign, row in _ENGLISH["bounds"].items() for phrase in row.split("|")}
"""The phrases that make a number the most (-1) or the least (1)."""
PREPOSITIONS = {
    word: frozenset(kinds.split()) for kinds, row in _ENGLISH["prepositions"].items() for word in row.split()
}
"""The words that tie what follows to what stands before -> the ways in which they do; those of no way fit any."""
SYNONYMS = {word: row.split()[0] for row in _ENGLISH["synonyms"] for word in row.split()}
"""The words -> the word that stands for all that mean the same here."""
OPPOSITES = frozenset(frozenset(pair.split("/")) for pair in words("opposites"))
