"""Readers: a bibliography or a dump of records, of any size, plain or gzipped -> its records, one after the other.

Known forms: BibTeX (.bib), RIS (.ris), CSL-JSON (.json), and the dumps of Crossref, OpenAlex and arXiv as
JSON lines (.jsonl, .json) or, Crossref's, as {"items": [...]}. Nothing is held but the record that is read, or one
array of JSON.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

import rispy

from plugins.audit.auditing.sources.bibtex import read_bibtex
from plugins.audit.auditing.sources.identifiers import identifiers
from plugins.audit.auditing.sources.json_records import json_record, json_values
from plugins.audit.auditing.types import Record
from plugins.audit.errors import BibliographyUnreadable
from plugins.audit.references import BibliographicFields

FORMS = {
    ".bib": "BibTeX", ".bibtex": "BibTeX", ".ris": "RIS", ".json": "JSON", ".jsonl": "JSON", ".ndjson": "JSON",
}  # fmt: skip
"""The ends of the names of files that are read, each also with `.gz` after it."""

_MOST_LINE, _MOST_RECORD = 200_000, 2_000_000
"""The characters of a line and of a record of RIS that are read at once."""


def read_records(path: Path, source: str = "") -> Iterator[Record]:
    """Yield the records of a file; they name `source`, else the file. Raises BibliographyUnreadable."""
    name = source or path.name
    form = form_of(path)
    if form is None:
        raise BibliographyUnreadable(
            f"{path}: its extension is not that of a bibliography: give {', '.join(FORMS)}, or one of these with .gz"
        )
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            data = cast("IO[bytes]", file)
            if form == "JSON":
                yield from _json(data, name)
            else:
                text = io.TextIOWrapper(data, encoding="utf-8-sig", errors="replace")
                yield from read_bibtex(text, name) if form == "BibTeX" else _ris(text, name)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise BibliographyUnreadable(
            f"{path}: cannot be read to the end ({reason}): the records before that are kept"
        ) from error
    except ValueError as error:
        raise BibliographyUnreadable(
            f"{path}: is not complete {form} ({error}): the records before that are kept"
        ) from error


def form_of(path: Path) -> str | None:
    """Return the form of a file by its name; None for one that is not read. OpenAlex calls its parts part_000.gz."""
    zipped = path.suffix.lower() == ".gz"
    suffix = Path(path.stem if zipped else path.name).suffix.lower()
    return "JSON" if zipped and not suffix else FORMS.get(suffix)


def _json(file: IO[bytes], source: str) -> Iterator[Record]:
    for value in json_values(file):
        record = json_record(value, source)
        if record is not None:
            yield record


def _ris(file: IO[str], source: str) -> Iterator[Record]:
    """Yield the records of a RIS file, each parsed by itself: it begins with TY and ends with ER."""
    lines: list[str] = []
    size = 0
    while line := file.readline(_MOST_LINE):
        lines.append(line)
        size += len(line)
        if re.match(r"ER\s{1,3}-", line) or size > _MOST_RECORD:
            yield from filter(None, [_ris_record("".join(lines), source)])
            lines, size = [], 0


def _ris_record(text: str, source: str) -> Record | None:
    try:
        entries = rispy.loads(text, skip_unknown_tags=False)
    except (OSError, ValueError, KeyError, IndexError):
        return None  # one that its reader refuses
    if not entries:
        return None
    value = entries[0]
    title = _first_value(value, "primary_title", "title", "translated_title")
    names = value.get("authors") or value.get("first_authors") or value.get("secondary_authors") or []
    year = re.search(r"\d{4}", _first_value(value, "year", "publication_year", "date"))
    doi, arxiv, url = identifiers(
        _first_value(value, "doi"), *map(str, value.get("urls") or []), _first_value(value, "url")
    )
    fields = BibliographicFields(
        title=title,
        authors=tuple(" ".join(str(name).split()) for name in names),
        venue=_first_value(value, "journal_name", "secondary_title", "alternate_title3", "publisher"),
        year=year[0] if year else "",
        doi=doi,
        arxiv=arxiv,
        url=url,
    )
    return Record(fields, source, doi or str(value.get("id", ""))[:200], str(value.get("type_of_reference", ""))[:40])


def _first_value(value: dict[str, object], *names: str) -> str:
    return next((" ".join(str(value[name]).split())[:4000] for name in names if value.get(name)), "")
