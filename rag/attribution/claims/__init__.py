"""Extract claims (numbers, dates, names, negations) and compare them with a text or a table."""

from rag.attribution.claims.align import (
    NUMBER_WEIGHT,
    Token,
    best_quote,
    find_quotes,
    look_alike,
    opposite,
    rank,
    tokens,
)
from rag.attribution.claims.claims import NOWHERE, Claims, Contrary, claims_of, predicates, span_of
from rag.attribution.claims.edits import BREAK
from rag.attribution.claims.frames import claimed, claims_nothing, connects, denies, refers
from rag.attribution.claims.lexicon import ORDINALS, STOP
from rag.attribution.claims.parts import completed, own_weight, parts
from rag.attribution.claims.quantities import quantities
from rag.attribution.claims.quantity import Quantity, agree
from rag.attribution.claims.table_grid import Slot, TableGrid, grid_of
from rag.attribution.claims.tables import read_table
from rag.attribution.claims.text import TextReading, read_text

__all__ = [
    "BREAK",
    "NOWHERE",
    "NUMBER_WEIGHT",
    "ORDINALS",
    "STOP",
    "Claims",
    "Contrary",
    "Quantity",
    "Slot",
    "TableGrid",
    "TextReading",
    "Token",
    "agree",
    "best_quote",
    "claimed",
    "claims_nothing",
    "claims_of",
    "completed",
    "connects",
    "denies",
    "find_quotes",
    "grid_of",
    "look_alike",
    "opposite",
    "own_weight",
    "parts",
    "predicates",
    "quantities",
    "rank",
    "read_table",
    "read_text",
    "refers",
    "span_of",
    "tokens",
]
