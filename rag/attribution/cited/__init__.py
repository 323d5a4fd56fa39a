"""Cited sources: the marks of a text -> the documents of the collection that they name, against which it is checked."""

from rag.attribution.cited.bibliography import entries_among, own_bibliography
from rag.attribution.cited.documents import DocumentIndex
from rag.attribution.cited.marked import Marked, marked, unmarked
from rag.attribution.cited.sources import CitedSources, NamedSource

__all__ = [
    "CitedSources",
    "DocumentIndex",
    "Marked",
    "NamedSource",
    "entries_among",
    "marked",
    "own_bibliography",
    "unmarked",
]
