"""Match the citations in a text to documents of the collection, and check the text against them."""

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
