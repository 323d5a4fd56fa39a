"""Find the citation marks of a text, also by authors and years, and separate a sentence from its marks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from plugins.audit.marks.names import cited_works
from rag.attribution import MOST_MARKED, CitationMark, citation_marks, without_marks

find_marks = partial(citation_marks, find_works=cited_works)
"""`citation_marks` of all styles."""


@dataclass(frozen=True, slots=True)
class Marked:
    """The marks of a sentence, and its claim without them.

    `claim` keeps a name that is part of the sentence ("Smith (2020) found"), `unnamed` leaves it out: that the author
    found it is proven by the source being the author's.
    """

    marks: tuple[CitationMark, ...]
    claim: str
    unnamed: str


def split_marks(text: str) -> Marked:
    """Return the marks of a sentence, and the sentence without them; a text over MOST_MARKED characters has none."""
    marks = tuple(find_marks(text)) if len(text) <= MOST_MARKED else ()
    return Marked(marks, without_marks(text, marks, with_names=True), without_marks(text, marks, with_names=False))
