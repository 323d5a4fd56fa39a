"""Claims: the numbers, units, dates, names and negations of a sentence, held against a text or a table."""

from rag.attribution.claims.align import NUMBER_WEIGHT, Token, best_quote, find_quotes, look_alike, rank, tokens
from rag.attribution.claims.claims import Claims, claims_of
from rag.attribution.claims.lexicon import ORDINALS, STOP
from rag.attribution.claims.quantity import Quantity, agree
from rag.attribution.claims.table_grid import Slot, TableGrid, grid_of
from rag.attribution.claims.tables import read_table
from rag.attribution.claims.text import TextReading, read_text

__all__ = [
    "NUMBER_WEIGHT",
    "ORDINALS",
    "STOP",
    "Claims",
    "Quantity",
    "Slot",
    "TableGrid",
    "TextReading",
    "Token",
    "agree",
    "best_quote",
    "claims_of",
    "find_quotes",
    "grid_of",
    "look_alike",
    "rank",
    "read_table",
    "read_text",
    "tokens",
]
