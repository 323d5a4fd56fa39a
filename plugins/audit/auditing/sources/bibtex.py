"""BibTeX files -> records: read in parts of whole entries, so that a file of any size fits."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import IO

from bibtexparser.library import Library
from bibtexparser.middlewares.names import split_multiple_persons_names
from bibtexparser.splitter import Splitter

from plugins.audit.auditing.sources.identifiers import identifiers
from plugins.audit.auditing.types import Record
from plugins.audit.references import BibliographicFields, plain_latex

_PART = 1_000_000
"""The characters that are parsed at once; a part ends where an entry begins on a line of its own."""
_MOST_LINE, _MOST_PART = 200_000, 4_000_000
MOST_CHARS = 8_000
"""The characters of a field that are read; a list of three hundred authors has 6,000."""
_OTHERS = ("others", "et al", "et al.")
_VENUES = ("journal", "journaltitle", "booktitle", "school", "institution", "publisher", "howpublished", "organization")
logging.getLogger("bibtexparser").addHandler(logging.NullHandler())
logging.getLogger("bibtexparser").propagate = False  # an entry that it cannot read is left out; it would tell each


def read_bibtex(file: IO[str], source: str) -> Iterator[Record]:
    """Yield the records of a BibTeX file; an entry that cannot be read is left out. Linear in the file's length."""
    strings: dict[str, str] = {}
    for part in _parts(file):
        library = Splitter(part).split()
        for string in library.strings:
            strings[string.key.lower()] = _value(str(string.value), strings)
        yield from _records(library, strings, source)


def _value(raw: str, strings: dict[str, str]) -> str:
    """Return a value without what encloses it: texts in braces or quotes, numbers and names of strings joined by #."""
    pieces, start, depth, quoted = [], 0, 0, False
    raw = raw[: 2 * MOST_CHARS].strip()
    for at, char in enumerate(raw):
        depth += (char == "{") - (char == "}")
        quoted ^= char == '"' and depth == 0
        if char == "#" and depth == 0 and not quoted:
            pieces.append(raw[start:at])
            start = at + 1
    pieces.append(raw[start:])
    return "".join(_piece(piece.strip(), strings) for piece in pieces)[:MOST_CHARS]


def _piece(piece: str, strings: dict[str, str]) -> str:
    if len(piece) > 1 and (piece[0], piece[-1]) in (("{", "}"), ('"', '"')):
        return piece[1:-1]
    return strings.get(piece.lower(), piece)


def _parts(file: IO[str]) -> Iterator[str]:
    """Yield the file in pieces of whole entries of about _PART characters.

    Where no entry begins on a line of its own, a piece ends at _MOST_PART, and the entry that is cut there is lost.
    """
    lines: list[str] = []
    size = 0
    while line := file.readline(_MOST_LINE):
        if size >= _MOST_PART or (size >= _PART and line.startswith("@")):
            yield "".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    yield "".join(lines)


def _records(library: Library, strings: dict[str, str], source: str) -> Iterator[Record]:
    for entry in library.entries:
        values = {field.key.lower(): _value(str(field.value), strings) for field in entry.fields}
        authors, et_al = names_of(values.get("author") or values.get("editor") or "")
        doi, arxiv, url = identifiers(
            _unescape(values.get("doi", "")),
            _eprint(values),
            *(_unescape(values.get(name, "")) for name in ("url", "howpublished", "journal")),
        )
        yield Record(
            BibliographicFields(
                title=plain_latex(values.get("title", "")),
                authors=authors,
                et_al=et_al,
                venue=plain_latex(
                    next((text for name in _VENUES if (text := values.get(name, "")) and "://" not in text), "")
                ),
                year=plain_latex(values.get("year") or values.get("date", ""))[:5],
                doi=doi,
                arxiv=arxiv,
                url=url,
            ),
            source,
            entry.key[:200],
            entry.entry_type[:40],
        )


def names_of(text: str) -> tuple[tuple[str, ...], bool]:
    """Return the names of a list joined by "and" outside braces, as they are written, and if "others" ends it."""
    names = [plain_latex(name) for name in split_multiple_persons_names(text)]
    et_al = any(name.lower() in _OTHERS for name in names)
    return tuple(name for name in names if name and name.lower() not in _OTHERS), et_al


def _unescape(text: str) -> str:
    """Return an identifier as it is: some programs write the signs of LaTeX in it behind a backslash."""
    return re.sub(r"\\([%#_&$~])", r"\1", text)


def _eprint(values: dict[str, str]) -> str:
    prefix = values.get("archiveprefix") or values.get("eprinttype") or ""
    return f"arXiv:{values['eprint']}" if values.get("eprint") and prefix.lower() in ("", "arxiv") else ""
