"""The names of months and of the days of the week, in lower case, and the pattern of a year."""

from __future__ import annotations

from indexing.language.lexicon import lexicon_values, lexicon_words

MONTHS = lexicon_values("months") | lexicon_values("month_abbreviations")
"""The months by their names, whole and shortened, in all languages: 1 to 12."""
WEEKDAYS = frozenset(lexicon_words("weekdays"))
YEAR = r"(?:1[5-9]|20)\d\d"
"""The pattern of a year, 1500 to 2099."""
MODERN_YEAR = r"(?:19|20)\d\d"
"""The pattern of a year in which a business reports: other numbers of four digits are amounts there."""


def names_date(word: str) -> bool:
    """Return True for the name of a month or of a day of the week, in any language.

    >>> names_date("Sept"), names_date("Dienstag"), names_date("2024")
    (True, True, False)
    """
    low = word.lower()
    return low in MONTHS or low in WEEKDAYS
