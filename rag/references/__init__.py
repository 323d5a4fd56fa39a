"""Parse a bibliography into entries with boxes and fields, and find where a text cites them."""

from rag.references.accents import with_accents, without_loose_accents
from rag.references.entries import Bibliography, references_of
from rag.references.fields import fields_of
from rag.references.formats import plain_latex
from rag.references.links import ReferenceIndex
from rag.references.marks import CitationMark, MarkKind, citation_marks
from rag.references.types import BibliographicFields, EntryPlace, FieldName, Reference

__all__ = [
    "BibliographicFields",
    "Bibliography",
    "CitationMark",
    "EntryPlace",
    "FieldName",
    "MarkKind",
    "Reference",
    "ReferenceIndex",
    "citation_marks",
    "fields_of",
    "plain_latex",
    "references_of",
    "with_accents",
    "without_loose_accents",
]
