"""The lexicons: the words and signs that the product knows of English, German and French, one YAML file each.

`lexicons/en.yaml` says what each entry is. A file is read once in a process.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

LANGUAGES = ("en", "de", "fr")
"""The languages that have a lexicon, as ISO 639-1 codes."""
_FOLDER = Path(__file__).with_name("lexicons")
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def lexicon(name: str) -> Mapping[str, Any]:
    """Return the entries of a file in `lexicons/`: those of a language, or `units`."""
    content: Mapping[str, Any] = yaml.load(_FOLDER.joinpath(f"{name}.yaml").read_bytes(), _Loader)  # noqa: S506  a safe one
    return content


def lexicon_words(entry: str, *languages: str) -> tuple[str, ...]:
    """Return the words of an entry, each once, in these languages or in all.

    >>> lexicon_words("negations", "fr")
    ('ne', 'pas', 'jamais', 'sans')
    """
    texts = (lexicon(language).get(entry, "") for language in languages or LANGUAGES)
    return tuple(dict.fromkeys(word for text in texts for word in text.split()))


def lexicon_values(entry: str, *languages: str) -> dict[str, int]:
    """Return the words of an entry with the number that each stands for, in these languages or in all.

    >>> lexicon_values("month_abbreviations")["sept"]
    9
    """
    rows = (row for language in languages or LANGUAGES for row in lexicon(language).get(entry, {}).items())
    return {word: value for value, text in rows for word in text.split()}


NUMBER_WORDS = lexicon_values("numbers")
AMBIGUOUS_NUMBERS = frozenset(lexicon_words("ambiguous_numbers"))
"""The number words that more often mean something else: alone they are no number."""
ORDINALS = lexicon_values("ordinals")

_SIGNS = {sign: float(value) for value, row in lexicon("units")["scale_signs"].items() for sign in row.split()}
SCALE_WORDS: dict[str, float] = {word: float(value) for word, value in lexicon_values("scales").items()}
"""The scales that are words; the others follow a number directly ("1.2M", "$5m")."""
SCALES: dict[str, float] = SCALE_WORDS | _SIGNS

HEDGES = lexicon_words("hedges")
"""The words before a number that make it approximate."""
BOUNDS: dict[str, int] = {
    phrase.strip(): sign for sign, row in lexicon("en")["bounds"].items() for phrase in row.split("|")
}
"""The phrases that make a number the most (-1) or the least (1)."""

_LEXICON = lexicon("units")
CURRENCIES: dict[str, str] = {word: sign for sign, row in _LEXICON["currencies"].items() for word in row.split()}
"""The currencies as written -> the sign or name that stands for each."""
UNITS: dict[str, tuple[str, float]] = {
    word.replace("_", " "): (base, float(size))
    for base, family in _LEXICON["units"].items()
    for size, row in family.items()
    for word in row.split()
}
"""The units as written -> the base unit of their family, and the factor to it."""

ENGLISH = frozenset(lexicon_words("stopwords", "en"))
"""The stop words of English alone."""
STOPWORDS = frozenset(lexicon_words("stopwords"))
"""The stop words of English, German and French, and the words with which people speak of documents."""

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
