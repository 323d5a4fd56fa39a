"""Claims: the numbers, units, dates, names and negations of a sentence, held against a text or a table."""

from rag.attribution.claims.align import NUMBER_WEIGHT, Token, best_quote, find_quotes, look_alike, rank, tokens
from rag.attribution.claims.claims import Claims, Contrary, claims_of
from rag.attribution.claims.frames import claimed, claims_nothing, refers
from rag.attribution.claims.lexicon import ORDINALS, STOP
from rag.attribution.claims.parts import completed, own_weight, parts
from rag.attribution.claims.quantity import Quantity, agree
from rag.attribution.claims.table_grid import Slot, TableGrid, grid_of
from rag.attribution.claims.tables import read_table
from rag.attribution.claims.text import TextReading, read_text

__all__ = [
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
    "find_quotes",
    "grid_of",
    "look_alike",
    "own_weight",
    "parts",
    "rank",
    "read_table",
    "read_text",
    "refers",
    "tokens",
]
