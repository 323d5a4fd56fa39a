"""Parse an entry of a bibliography into title, authors, venue, year and identifiers."""

from plugins.audit.references.fields.features import HASHED, feature_ids
from plugins.audit.references.fields.fields import MOST_CHARACTERS, fields_of
from plugins.audit.references.fields.identifiers import EntryText, identified
from plugins.audit.references.fields.tagging import LABELS, WEIGHTS_FILE, allowed, best_path
from plugins.audit.references.fields.tokens import EntryToken, tokens_of

__all__ = [
    "HASHED",
    "LABELS",
    "MOST_CHARACTERS",
    "WEIGHTS_FILE",
    "EntryText",
    "EntryToken",
    "allowed",
    "best_path",
    "feature_ids",
    "fields_of",
    "identified",
    "tokens_of",
]
