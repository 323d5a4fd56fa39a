"""Parse an entry of a bibliography into title, authors, venue, year and identifiers."""

from plugins.audit.references.fields.fields import MOST_CHARACTERS, entry_of, fields_of
from plugins.audit.references.fields.identifiers import find_identifiers
