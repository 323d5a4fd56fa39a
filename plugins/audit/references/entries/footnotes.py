"""Footnotes: the works that a paper without a bibliography cites at the foot of its pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from plugins.audit.references.entries.assembly import FieldsOf, bibliography_of
from plugins.audit.references.entries.bibliography import Bibliography
from plugins.audit.references.entries.cues import begins, has_year
from plugins.audit.references.entries.headings import Span
from plugins.audit.references.entries.labels import STYLES, LabelStyle
from plugins.audit.references.lines import TextLine

LEAST = 3
"""The footnotes that cite works, from which on they stand for a bibliography."""
SIGNS = (
    "http",
    "doi",
    " vol.",
    " pp.",
    " p. ",
    " ed.",
    " eds.",
    "ibid",
    "press",
    "journal",
    "verlag",
    "(",
    "“",
    "„",
    "«",
)
_NUMBER = re.compile(r"\d{1,4}[.)]?\s{0,4}")
_NUMBERED = tuple(style for style in STYLES if style.name in ("raised", "bare", "point"))


def footnotes(lines: Sequence[TextLine], fields_of: FieldsOf) -> Bibliography:
    """Return the numbered notes at the foot of pages that cite works, as a bibliography; empty where there are few.

    A note begins with the next number, in letters smaller than the text's, and goes on to the next note or the end of
    the column.
    """
    weight: Counter[float] = Counter()
    for line in lines:
        weight[line.size] += len(line.text)
    usual = weight.most_common(1)[0][0] if weight else 0.0
    small = [line for line in lines if line.size < 0.95 * usual]
    notes = max((_numbered(small, style) for style in _NUMBERED), key=len, default=[])
    citing = [note for note in notes if _cites(note)]
    if len(citing) < LEAST or len(citing) < 0.3 * len(notes):
        return Bibliography(())
    taken = {id(line) for note in citing for line in note}
    kept = [line for note in citing for line in note]
    body = [line for line in lines if id(line) not in taken]
    # The notes as one list behind the body: the marks then count into the body alone.
    whole = [*body, *kept[:1], *kept]
    found = bibliography_of(whole, [Span(len(body) + 1, len(whole), "")], fields_of)
    note = f"No bibliography: {len(citing)} of {len(notes)} footnotes that cite works stand for one."
    return Bibliography(found.references, found.marks, (*found.notes, note), found.body)


def _numbered(lines: Sequence[TextLine], style: LabelStyle) -> list[list[TextLine]]:
    """Return the notes whose numbers rise by one through the document, each with its lines."""
    notes: list[list[TextLine]] = []
    last = 0
    bottom: dict[tuple[int, int], float] = defaultdict(float)
    for line in lines:
        number = style.number(line)
        place = (line.page, line.column)
        if number is not None and (number == last + 1 or (notes and last < number <= last + 3)):
            notes.append([line])
            last = number
        elif (
            notes
            and (notes[-1][-1].page, notes[-1][-1].column) == place
            and line.top - bottom[place] < 1.5 * line.height
        ):
            notes[-1].append(line)
        bottom[place] = line.bottom
    return notes


def _cites(note: Sequence[TextLine]) -> bool:
    text = " ".join(line.text for line in note[:20])
    work = any(sign in text.casefold() for sign in SIGNS) or begins(_NUMBER.sub("", text))
    return has_year(text) and work
