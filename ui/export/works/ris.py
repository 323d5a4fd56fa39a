"""The cited works as RIS, for reference managers: an entry each, in UTF-8, the quotes in its notes (N1).

A value is one line, so that none can begin a field or end an entry. RIS has no comments: the field DP, the name of the
database that an entry comes from, says in the file that it is an export of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ui.export.sources import MARK
from ui.export.works.works import CitedEntry

_TYPES = {
    "article-journal": "JOUR", "article-magazine": "MGZN", "article-newspaper": "NEWS", "paper-conference": "CONF",
    "book": "BOOK", "chapter": "CHAP", "thesis": "THES", "report": "RPRT", "webpage": "ELEC", "post-weblog": "BLOG",
    "article": "UNPB", "manuscript": "UNPB", "patent": "PAT", "dataset": "DATA", "software": "COMP", "map": "MAP",
    "entry-encyclopedia": "ENCYC", "entry-dictionary": "DICT", "standard": "STAND", "bill": "BILL",
    "legal_case": "CASE", "hearing": "HEAR", "legislation": "STAT", "motion_picture": "VIDEO", "song": "SOUND",
}  # fmt: skip
_VARIABLES = (
    ("TI", "title"), ("T2", "container-title"), ("T3", "collection-title"), ("PB", "publisher"),
    ("CY", "publisher-place"), ("ET", "edition"), ("VL", "volume"), ("DO", "DOI"), ("UR", "URL"), ("LA", "language"),
)  # fmt: skip
_RANGE = re.compile(r"([^-\u2013\u2014,;]{1,20})[-\u2013\u2014]{1,3}([^-\u2013\u2014,;]{1,20})")


def ris(entries: list[CitedEntry]) -> str:
    """Return the whole file; its lines end as the format says, in CR and LF."""
    return (
        "\r\n".join(f"{tag}  - {value}" for entry in entries for tag, value in (*_fields(entry), ("ER", ""))) + "\r\n"
    )


def _fields(entry: CitedEntry) -> Iterator[tuple[str, str]]:
    yield "TY", _TYPES.get(entry.text("type"), "GEN")
    yield "ID", entry.key
    for tag, role in (("AU", "author"), ("ED", "editor")):
        yield from ((tag, _name(name)) for name in entry.names(role))
    yield from ((tag, text) for tag, variable in _VARIABLES if (text := entry.text(variable)))
    if number := entry.text("issue") or entry.text("number"):
        yield "IS", number
    if serial := entry.text("ISBN") or entry.text("ISSN"):
        yield "SN", serial
    if entry.date:
        year, month, day = (*entry.date, 0, 0)[:3]
        yield "PY", f"{year:04d}"
        yield "DA", "/".join([f"{year:04d}", f"{month:02d}" if month else "", f"{day:02d}" if day else "", ""])
    yield from _pages(entry)
    yield from (("KW", tag) for tag in entry.tags)
    yield from (("L1", name) for name in entry.files)
    yield from (("N1", line) for line in entry.notes())
    yield "DP", MARK


def _pages(entry: CitedEntry) -> Iterator[tuple[str, str]]:
    """Yield the first and the last page of the work in what contains it; where it has none, those that are cited."""
    own = entry.text("page") or ", ".join(entry.pages)
    match = _RANGE.fullmatch(own)
    if match:
        yield from (("SP", match[1].strip()), ("EP", match[2].strip()))
    elif own:
        yield "SP", own


def _name(name: Mapping[str, str]) -> str:
    """Return a name as RIS has it: "van Beethoven, Ludwig, Jr"; one in one piece as it is."""
    family = " ".join(filter(None, (name.get("non-dropping-particle"), name.get("family"))))
    first = " ".join(filter(None, (name.get("given"), name.get("dropping-particle"))))
    if not (family and first):
        return name.get("literal") or family or first
    return ", ".join(filter(None, (family, first, name.get("suffix"))))
