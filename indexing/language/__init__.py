"""Language: the one place for words, numbers, units, dates, sentences and stop words of English, German and French.

It lies in `indexing` because the embedder weighs stop words, and everything above it may import it: answering, checking
and plugins. What the product knows of a language stands in `lexicons/`, one YAML file each; the modules read texts by
it. The reader of quantities, which has many patterns, is imported on first use.
"""

from typing import TYPE_CHECKING

from indexing.language.lexicon import (
    AMBIGUOUS_NUMBERS,
    BOUNDS,
    CURRENCIES,
    ENGLISH,
    HEDGES,
    LANGUAGES,
    MODERN_YEAR,
    MONTHS,
    NUMBER_WORDS,
    ORDINALS,
    SCALE_WORDS,
    SCALES,
    STOPWORDS,
    UNITS,
    WEEKDAYS,
    YEAR,
    lexicon,
    lexicon_values,
    lexicon_words,
    names_date,
)
from indexing.language.quantity import MONEY, Quantity, Scale, agree, scale_of
from indexing.language.sentences import sentence_spans
from indexing.language.superscripts import POWER, power_signs, powers, without_note_marks
from indexing.language.tokenizer import (
    ALPHA_WORD,
    CJK,
    FUNCTION_WORDS,
    MARKS,
    NUMBER_WEIGHT,
    TOKEN,
    WORD,
    Token,
    fold,
    look_alike,
    lower_words,
    meaning,
    opposite,
    stem,
    tokens,
    without_accents,
)
from indexing.lazy_imports import lazy_names

if TYPE_CHECKING:
    from indexing.language.quantity_reader import quantities


__getattr__ = lazy_names(__name__, {"quantities": "quantity_reader"})
