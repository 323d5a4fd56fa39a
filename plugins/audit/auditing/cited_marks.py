"""The marks of a text: the entries that they cite, and those without an entry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from plugins.audit.marks import ET_AL
from plugins.audit.references import Reference, ReferenceIndex
from rag.attribution import CitationMark, MarkKind

LEAST = 0.34
"""The least share of a bibliography that the marks must name for the rest to be called never cited."""
MOSTLY = 0.5
"""The least share of the keys of one style that must have an entry for the others to be called missing."""
_COMMA = re.compile(r",\s*(?:1[5-9]|20)\d\d")
_YEARS = re.compile(r"(?:1[5-9]|20)\d\d[a-z]?\s?[^\w\s.,:;&()\[\]]")
"""A year before a dash, or before what a dash was printed as."""
_TITLE = re.compile(r"[.,]\s[“„«\"]")
AROUND = 80
"""The characters on each side of a number in brackets that show if it stands in running text."""
PROSE = 0.7
"""The least share of letters among them: code, tables and formulas have fewer."""
MISSING_RESTS_ON = (
    "A mark is listed as missing only if it is written as the paper writes the marks that have an entry: look at each "
    "in the text."
)


def cited_numbers(marks: Sequence[CitationMark], references: Sequence[Reference]) -> frozenset[int] | None:
    """Return the numbers of the entries that the marks name, and of those without authors if the paper cites by names.

    None where too few are named to tell of the others.
    """
    index = ReferenceIndex(references)
    numbers = frozenset(entry.number for mark in marks for entry in index.entries_of(mark))
    if not numbers or len(numbers) < LEAST * len(references):
        return None
    authorless = {entry.number for entry in references if not entry.fields.authors}
    return numbers | authorless if _style_of(references) == "author-year" else numbers


def missing_marks(marks: Sequence[CitationMark], references: Sequence[Reference], text: str) -> tuple[str, ...]:
    """Return the keys that running text cites and the bibliography lacks, each once, in the order of the text.

    `text` is that into which the marks count. Only marks of the style in which the bibliography is labelled, and names
    and years only in a form ("(Smith, 2020)" or "Smith (2020)") in which the paper mostly cites: a name and a year in a
    sentence, or "[0, 1]", are no citations.
    """
    index = ReferenceIndex(references)
    style = _style_of(references)
    own = [mark for mark in marks if mark.kind == style and _is_citation(mark, text)]
    keys = [(_form(mark), mark, key) for mark in own for key in mark.keys]
    hits = {(form, key): index.has_key(mark, key) for form, mark, key in keys}
    counts, all_of = Counter(form for (form, _), there in hits.items() if there), Counter(form for form, _ in hits)
    forms = {form for form in all_of if counts[form] >= max(MOSTLY * all_of[form], 1)}
    lacking = (key for form, _, key in keys if form in forms and not hits[form, key])
    return tuple(dict.fromkeys(lacking))


def _style_of(references: Sequence[Reference]) -> MarkKind:
    """Return the style of marks that the labels of a bibliography ask for: most have none where names are cited."""
    labels = [reference.label for reference in references if any(c.isalnum() for c in reference.label)]
    if 2 * len(labels) < len(references):
        return "author-year"
    n_lettered = sum(any(c.isalpha() for c in label) for label in labels)
    return "label" if 2 * n_lettered > len(labels) else "number"


def _form(mark: CitationMark) -> str:
    """Return how a mark is written: where its brackets are, and if a comma stands before the year."""
    if mark.kind != "author-year":
        return mark.kind
    if mark.text[0] not in "([":
        return "names before the bracket"
    return "a comma before the year" if _COMMA.search(mark.text) else "no comma before the year"


def _is_citation(mark: CitationMark, text: str) -> bool:
    """Return False for what was hardly meant as a mark: a number in code, a table or a formula, or no mark of one work.

    Names and years are none if they are a span of years, lines run together, or the beginning of a reference that the
    text itself gives in full.
    """
    if mark.kind == "author-year":
        whole = not _YEARS.search(mark.text) and len(ET_AL.findall(mark.text)) <= len(mark.keys)
        return whole and not _TITLE.match(text, mark.end)
    around = "".join((text[max(0, mark.start - AROUND) : mark.start] + text[mark.end : mark.end + AROUND]).split())
    return sum(c.isalpha() for c in around) >= PROSE * len(around)
