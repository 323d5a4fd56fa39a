"""Marks of the text -> the entries that it cites, and the marks that have no entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rag.references import CitationMark, Reference, ReferenceIndex

LEAST = 0.34
"""The least share of a bibliography that the marks must name for the rest to be called never cited."""
MOSTLY = 0.5
"""The least share of the keys of one style that must have an entry for the others to be called missing."""
TOLD: tuple[str, ...] = ("number", "author-year", "label")
"""The styles of marks that always name an entry; raised numbers may be footnotes, and addresses name themselves."""


def cited_numbers(marks: Sequence[CitationMark], references: Sequence[Reference]) -> frozenset[int] | None:
    """Return the numbers of the entries that the marks name; None where too few are named to tell of the others."""
    index = ReferenceIndex(references)
    found = frozenset(entry.number for mark in marks for entry in index.entries_of(mark))
    return found if found and len(found) >= LEAST * len(references) else None


def missing_marks(marks: Sequence[CitationMark], references: Sequence[Reference]) -> tuple[str, ...]:
    """Return the keys that the text cites and the bibliography lacks, each once, in the order of the text.

    Only of a style in which most keys have an entry: in a paper that cites by name, "[0, 1]" is an interval.
    """
    index = ReferenceIndex(references)
    keys = [(mark, key) for mark in marks if mark.kind in TOLD for key in mark.keys]
    found = {(mark.kind, key): bool(index.entries_of_key(mark, key)) for mark, key in keys}
    known, all_of = Counter(k for (k, _), there in found.items() if there), Counter(k for k, _ in found)
    styles = {kind for kind in all_of if known[kind] >= MOSTLY * all_of[kind]}
    lacking = (key for mark, key in keys if mark.kind in styles and not found[mark.kind, key])
    return tuple(dict.fromkeys(lacking))
