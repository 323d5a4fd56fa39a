"""Language: the one place for words, numbers, units, dates and stop words in English, German and French.

It lies in `indexing` because the embedder weighs stop words, and everything above it may import it: answering, checking
and plugins. What the product knows of a language stands in `lexicons/`.
"""

from indexing.language.dates import MODERN_YEAR, MONTHS, WEEKDAYS, YEAR, names_date
from indexing.language.lexicon import LANGUAGES, lexicon, values, words
from indexing.language.numbers import AMBIGUOUS_NUMBERS, NUMBER_WORDS, ORDINALS, SCALE_WORDS, SCALES
from indexing.language.sentences import sentence_spans
from indexing.language.stopwords import ENGLISH, STOPWORDS
from indexing.language.units import CURRENCIES, UNITS

__all__ = [
    "AMBIGUOUS_NUMBERS",
    "CURRENCIES",
    "ENGLISH",
    "LANGUAGES",
    "MODERN_YEAR",
    "MONTHS",
    "NUMBER_WORDS",
    "ORDINALS",
    "SCALES",
    "SCALE_WORDS",
    "STOPWORDS",
    "UNITS",
    "WEEKDAYS",
    "YEAR",
    "lexicon",
    "names_date",
    "sentence_spans",
    "values",
    "words",
]
