"""A sentence with marks of citation -> its claim without them: a mark says where it stands, and claims nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.attribution.cited.marks import CitationMark, citation_marks

LEADS = re.compile(
    r"(?:(?:\b(?:according to|as (?:shown|reported|stated|noted|described) (?:in|by)|see(?: also)?|cf\.?|from|per))"
    r"|[(,;])\s{0,2}$",
    re.IGNORECASE,
)
"""The words before a mark that only lead to it."""
REACH = 40
"""The most characters before a mark in which such words are looked for."""
_EMPTY = re.compile(r"\(\s{0,3}\)|\[\s{0,3}\]")
_BEFORE = re.compile(r"[\s,;:]{1,4}(?=[.!?])|\s{1,3}(?=[,;:])")
MOST = 4000
"""The most characters of a sentence that is searched for marks; checking takes no longer ones."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A sentence with its marks, and its claim without them.

    `claim` keeps a name that is part of the sentence ("Smith (2020) found"), `unnamed` leaves it out: that the author
    found it is proven by the source being the author's.
    """

    text: str
    marks: tuple[CitationMark, ...]
    claim: str
    unnamed: str


def split_marks(text: str) -> Marked:
    """Return a sentence with its marks and without them; words of a link that are part of the sentence stay."""
    marks = tuple(citation_marks(text)) if len(text) <= MOST else ()
    return Marked(text, marks, _without(text, marks, named=True), _without(text, marks, named=False))


def strip_marks(text: str) -> str:
    """Return a sentence without what is surely a mark: a name and a year in brackets may be part of what it says."""
    marks = [mark for mark in split_marks(text).marks if mark.kind != "author-year"]
    return _without(text, marks, named=True)


def _without(text: str, marks: Sequence[CitationMark], *, named: bool) -> str:
    """Return the sentence without its marks, and without the words that only led to one."""
    pieces: list[str] = []
    at = 0
    for mark in marks:
        words = _words_of_mark(mark) if named or mark.kind == "link" else ""
        before = text[at : mark.start]
        if not words:
            before = before[:-REACH] + LEADS.sub("", before[-REACH:])
        pieces += [before, words]
        at = mark.end
    pieces.append(text[at:])
    result = "".join(pieces) if marks else text
    return _BEFORE.sub("", " ".join(_EMPTY.sub("", result).split())).lstrip(" ,;:") if marks else text


def _words_of_mark(mark: CitationMark) -> str:
    """Return the words of a mark that are part of its sentence: the name before a year, the words of a link."""
    if mark.kind == "author-year" and not mark.text.startswith("("):
        return mark.text.partition("(")[0].strip()
    if mark.kind == "link" and mark.text.startswith("["):
        return mark.text[1:].partition("]")[0]
    return ""
