"""Language: the one place for words, numbers, units, dates, sentences and stop words of English, German and French.

It lies in `indexing` because the embedder weighs stop words, and everything above it may import it: answering, checking
and plugins. What the product knows of a language stands in `lexicons/`, one YAML file each; the modules read texts by
it. Readers with many patterns are imported on first use.
"""

from typing import TYPE_CHECKING

from indexing.language.dates import MODERN_YEAR, MONTHS, WEEKDAYS, YEAR, names_date
from indexing.language.lexicon import LANGUAGES, lexicon, lexicon_values, lexicon_words
from indexing.language.normalise import MARKS, fold, look_alike, without_accents
from indexing.language.numbers import AMBIGUOUS_NUMBERS, BOUNDS, HEDGES, NUMBER_WORDS, ORDINALS, SCALE_WORDS, SCALES
from indexing.language.stopwords import ENGLISH, STOPWORDS
from indexing.language.units import CURRENCIES, UNITS
from indexing.late import late

if TYPE_CHECKING:
    from indexing.language.quantity import MONEY, Quantity, Scale, agree, scale_of
    from indexing.language.quantity_reader import quantities
    from indexing.language.raised_signs import POWER, power_signs, powers, without_note_marks
    from indexing.language.sentences import sentence_spans
    from indexing.language.stems import meaning, opposite, stem
    from indexing.language.tokenizer import (
        ALPHA_WORD,
        CJK,
        FUNCTION_WORDS,
        NUMBER_WEIGHT,
        TOKEN,
        WORD,
        Token,
        lower_words,
        tokens,
    )

__all__ = [
    "ALPHA_WORD",
    "AMBIGUOUS_NUMBERS",
    "BOUNDS",
    "CJK",
    "CURRENCIES",
    "ENGLISH",
    "FUNCTION_WORDS",
    "HEDGES",
    "LANGUAGES",
    "MARKS",
    "MODERN_YEAR",
    "MONEY",
    "MONTHS",
    "NUMBER_WEIGHT",
    "NUMBER_WORDS",
    "ORDINALS",
    "POWER",
    "SCALES",
    "SCALE_WORDS",
    "STOPWORDS",
    "TOKEN",
    "UNITS",
    "WEEKDAYS",
    "WORD",
    "YEAR",
    "Quantity",
    "Scale",
    "Token",
    "agree",
    "fold",
    "lexicon",
    "lexicon_values",
    "lexicon_words",
    "look_alike",
    "lower_words",
    "meaning",
    "names_date",
    "opposite",
    "power_signs",
    "powers",
    "quantities",
    "scale_of",
    "sentence_spans",
    "stem",
    "tokens",
    "without_accents",
    "without_note_marks",
]

__getattr__ = late(
    __name__,
    {
        "quantities": "quantity_reader",
        "sentence_spans": "sentences",
        **dict.fromkeys(("MONEY", "Quantity", "Scale", "agree", "scale_of"), "quantity"),
        **dict.fromkeys(("POWER", "power_signs", "powers", "without_note_marks"), "raised_signs"),
        **dict.fromkeys(("meaning", "opposite", "stem"), "stems"),
        **dict.fromkeys(
            ("CJK", "FUNCTION_WORDS", "ALPHA_WORD", "NUMBER_WEIGHT", "TOKEN", "WORD", "Token", "tokens", "lower_words"),
            "tokenizer",
        ),
    },
)
