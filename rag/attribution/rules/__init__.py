"""Compare a sentence with what it cites, by words alone: confirmed, open or contradicted."""

from rag.attribution.rules.align import (
    NUMBER_WEIGHT,
    Token,
    best_quote,
    find_quotes,
    look_alike,
    opposite,
    rank,
    tokens,
)
from rag.attribution.rules.claims import Claims, claims_of
from rag.attribution.rules.compare import MAX_SENTENCE, SUPPORTED, Comparison, Outcome, compare
from rag.attribution.rules.frames import claimed, claims_nothing, connects, denies, refers
from rag.attribution.rules.lexicon import ORDINALS, STOP
from rag.attribution.rules.parts import completed, own_weight, parts
from rag.attribution.rules.prose import Difference
from rag.attribution.rules.quantities import quantities
from rag.attribution.rules.quantity import Quantity, agree
from rag.attribution.rules.table_grid import Slot, TableGrid, grid_of

__all__ = [
    "MAX_SENTENCE",
    "NUMBER_WEIGHT",
    "ORDINALS",
    "STOP",
    "SUPPORTED",
    "Claims",
    "Comparison",
    "Difference",
    "Outcome",
    "Quantity",
    "Slot",
    "TableGrid",
    "Token",
    "agree",
    "best_quote",
    "claimed",
    "claims_nothing",
    "claims_of",
    "compare",
    "completed",
    "connects",
    "denies",
    "find_quotes",
    "grid_of",
    "look_alike",
    "opposite",
    "own_weight",
    "parts",
    "quantities",
    "rank",
    "refers",
    "tokens",
]
