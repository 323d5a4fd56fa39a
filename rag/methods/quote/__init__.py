"""Method quote: the sentences and table rows that answer, word for word."""

from rag.methods.quote.method import QuoteMethod, quoted
from rag.methods.quote.regions import (
    CITED_FEATURES,
    REGION_FEATURES,
    answers_of,
    candidate_regions,
    choose,
    cited_values,
)
from rag.methods.quote.select import (
    ANSWERABLE_FEATURES,
    ANSWERING_FEATURES,
    FEATURES,
    QuotedSentence,
    answerable,
    answering,
    best_of,
    confidence_of,
    features,
    pieces,
    quotes,
    select,
    typical_of,
    words_of,
)

__all__ = [
    "ANSWERABLE_FEATURES",
    "ANSWERING_FEATURES",
    "CITED_FEATURES",
    "FEATURES",
    "REGION_FEATURES",
    "QuoteMethod",
    "QuotedSentence",
    "answerable",
    "answering",
    "answers_of",
    "best_of",
    "candidate_regions",
    "choose",
    "cited_values",
    "confidence_of",
    "features",
    "pieces",
    "quoted",
    "quotes",
    "select",
    "typical_of",
    "words_of",
]
