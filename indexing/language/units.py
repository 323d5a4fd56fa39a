"""Currencies and units, with the signs and words for them. Keys are lower case."""

from __future__ import annotations

from indexing.language.lexicon import lexicon

_LEXICON = lexicon("units")
CURRENCIES: dict[str, str] = {word: sign for sign, row in _LEXICON["currencies"].items() for word in row.split()}
"""The currencies as written -> the sign or name that stands for each."""
UNITS: dict[str, tuple[str, float]] = {
    word.replace("_", " "): (base, float(size))
    for base, family in _LEXICON["units"].items()
    for size, row in family.items()
    for word in row.split()
}
"""The units as written -> the unit their family is measured in, and how many of that they are."""
