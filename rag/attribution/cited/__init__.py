"""Find the sources that a text names: its marks of citation, and the entries of its bibliography."""

from rag.attribution.cited.bibliography import (
    BIBLIOGRAPHY_HEADINGS,
    Hold,
    ListedEntry,
    SourceFollower,
    entries_among,
    follower_of,
    names_sources,
    own_bibliography,
)
from rag.attribution.cited.marks import CitationMark, Marked, MarkKind, citation_marks, split_marks, strip_marks
from rag.attribution.cited.names import (
    PARTICLES,
    YEAR,
    fold_name,
    has_loose_accent,
    with_accents,
    without_loose_accents,
)

__all__ = [
    "BIBLIOGRAPHY_HEADINGS",
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
