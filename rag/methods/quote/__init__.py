"""Answer with the best sentences and table rows of the documents, word for word."""

from rag.methods.quote.form import FORM_FEATURES, coverage_of, form_of, rarity_of
from rag.methods.quote.method import quote_method
from rag.methods.quote.pieces import pieces
from rag.methods.quote.regions import REGION_FEATURES, candidate_regions, choose
from rag.methods.quote.select import (
    ANSWERABLE_FEATURES,
    ANSWERING_FEATURES,
    FEATURES,
    answerable,
    answering,
    best_of,
    confidence_of,
    features,
    quotes,
    select,
    too_unsure,
    typical_of,
    words_of,
)
