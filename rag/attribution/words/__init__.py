"""Read what a text says: its words, names, numbers and negations, and the rows and columns of a table."""

from rag.attribution.words import lexicon
from rag.attribution.words.align import best_quote, find_quotes, rank
from rag.attribution.words.claims import (
    CLAUSE,
    NEAR,
    Claims,
    claims_nothing,
    claims_of,
    clauses,
    complete_claim,
    connects,
    denies,
    position,
    qualifiers,
    refers,
    scope,
    strip_frames,
)
from rag.attribution.words.table_grid import NAMED, Name, Slot, TableGrid, grid_of, named_columns, named_rows
