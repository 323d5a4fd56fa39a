"""The names of months and of the days of the week, in lower case."""

from __future__ import annotations

from indexing.language.lexicon import values, words

MONTHS = values("months") | values("month_abbreviations")
"""The months by their names, whole and shortened, in all languages: 1 to 12."""
WEEKDAYS = frozenset(words("weekdays"))
