"""Find the sources that a text names: its marks of citation, and the entries of its bibliography."""

from rag.attribution.cited.accents import has_loose_accent, with_accents, without_loose_accents
from rag.attribution.cited.bibliography import ListedEntry, entries_among, own_bibliography
from rag.attribution.cited.following import Hold, SourceFollower, follower_of, names_sources
from rag.attribution.cited.marked import Marked, split_marks, strip_marks
from rag.attribution.cited.marks import CitationMark, MarkKind, citation_marks
from rag.attribution.cited.names import PARTICLES, YEAR, fold_name

__all__ = [
    "PARTICLES",
    "YEAR",
    "CitationMark",
    "Hold",
    "ListedEntry",
    "MarkKind",
    "Marked",
    "SourceFollower",
    "citation_marks",
    "entries_among",
    "fold_name",
    "follower_of",
    "has_loose_accent",
    "names_sources",
    "own_bibliography",
    "split_marks",
    "strip_marks",
    "with_accents",
    "without_loose_accents",
]
