"""Parse an entry of a bibliography into title, authors, venue, year and identifiers."""

from plugins.audit.references.fields.fields import MOST_CHARACTERS, fields_of
from plugins.audit.references.fields.identifiers import EntryText, identified
from plugins.audit.references.fields.tagging import (
    DILATIONS,
    LABELS,
    POOLED,
    WEIGHTS_FILE,
    LabelChain,
    allowed,
    label_scores,
)
from plugins.audit.references.fields.tokens import HASHED, WORD_COLUMNS, EntryToken, token_columns, tokens_of
