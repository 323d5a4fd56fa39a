"""Parse a bibliography into entries with boxes and fields, and find the entries that a mark of a text names."""

from plugins.audit.references.entries import Bibliography, references_of
from plugins.audit.references.fields import entry_of, fields_of, find_identifiers
from plugins.audit.references.formats import plain_latex
from plugins.audit.references.links import ReferenceIndex
from plugins.audit.references.types import BibliographicFields, FieldName, Reference
