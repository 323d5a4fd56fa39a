"""Parse a bibliography into entries with boxes and fields, and find the entries that a mark of a text names."""

from plugins.audit.references.fields import entry_of, fields_of
from plugins.audit.references.identifiers import find_identifiers
from plugins.audit.references.latex import plain_latex
from plugins.audit.references.links import BibliographicFields, FieldName, Reference, ReferenceIndex
from plugins.audit.references.reading import Bibliography, references_of
