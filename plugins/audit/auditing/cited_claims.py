"""The marks of a text: the entries that they cite, and those without an entry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from plugins.audit.references import Reference, ReferenceIndex
from rag.attribution import CitationMark, MarkKind

LEAST = 0.34
"""The least share of a bibliography that the marks must name for the rest to be called never cited."""
MOSTLY = 0.5
"""The least share of the keys of one style that must have an entry for the others to be called missing."""
_COMMA = re.compile(r",\s*(?:1[5-9]|20)\d\d")
_YEARS = re.compile(r"(?:1[5-9]|20)\d\d[a-z]?\s?[^\w\s.,:;&()\[\]]")
"""A year before a dash, or before what a dash was printed as."""
_ET_AL = re.compile(r"\bet\.? al\b", re.IGNORECASE)


def cited_numbers(marks: Sequence[CitationMark], references: Sequence[Reference]) -> frozenset[int] | None:
    """Return the numbers of the entries that the marks name; None where too few are named to tell of the others."""
    index = ReferenceIndex(references)
    found = frozenset(entry.number for mark in marks for entry in index.entries_of(mark))
    return found if found and len(found) >= LEAST * len(references) else None


def missing_marks(marks: Sequence[CitationMark], references: Sequence[Reference]) -> tuple[str, ...]:
    """Return the keys that the text cites and the bibliography lacks, each once, in the order of the text.

    Only of the style in which the bibliography is labelled, and of names and years only in a form ("(Smith, 2020)" or
    "Smith (2020)") in which the paper mostly cites: a name and a year in a sentence, or "[0, 1]", are no citations.
    """
    index = ReferenceIndex(references)
    style = _style_of(references)
    keys = [(_form(mark), mark, key) for mark in marks if mark.kind == style and _is_whole(mark) for key in mark.keys]
    found = {(form, key): bool(index.entries_of_key(mark, key)) for form, mark, key in keys}
    known, all_of = Counter(form for (form, _), there in found.items() if there), Counter(form for form, _ in found)
    forms = {form for form in all_of if known[form] >= max(MOSTLY * all_of[form], 1)}
    lacking = (key for form, _, key in keys if form in forms and not found[form, key])
    return tuple(dict.fromkeys(lacking))


def _style_of(references: Sequence[Reference]) -> MarkKind:
    """Return the style of marks that the labels of a bibliography ask for: most have none where names are cited."""
    labels = [reference.label for reference in references if any(c.isalnum() for c in reference.label)]
    if 2 * len(labels) < len(references):
        return "author-year"
    lettered = sum(any(c.isalpha() for c in label) for label in labels)
    return "label" if 2 * lettered > len(labels) else "number"


def _form(mark: CitationMark) -> str:
    """Return how a mark is written: where its brackets are, and if a comma stands before the year."""
    if mark.kind != "author-year":
        return mark.kind
    if mark.text[0] not in "([":
        return "names before the bracket"
    return "a comma before the year" if _COMMA.search(mark.text) else "no comma before the year"


def _is_whole(mark: CitationMark) -> bool:
    """Return False for names and years that were hardly meant as a mark: a span of years, or lines run together."""
    if mark.kind != "author-year":
        return True
    return not _YEARS.search(mark.text) and len(_ET_AL.findall(mark.text)) <= len(mark.keys)
