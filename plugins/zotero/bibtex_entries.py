"""BibTeX and BibLaTeX files, as Zotero and Better BibTeX export them: their entries as CSL-JSON, and the files named.

A file is read in parts of whole entries, so that time and memory stay in proportion to its size.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any

from bibtexparser.middlewares import LatexDecodingMiddleware
from bibtexparser.model import Entry, Field
from bibtexparser.splitter import Splitter

from indexing.language import MONTHS
from plugins.zotero.records import MOST_NAMES, READ_SUFFIXES, Creator, LibraryEntry, date_of, name_of, one_line, texts

MOST_CHARS = 8_000
"""The characters of a field that are read."""
_PART, _MOST_PART, _MOST_LINE = 1_000_000, 4_000_000, 200_000
_TYPES = {
    "article": "article-journal", "book": "book", "mvbook": "book", "collection": "book", "incollection": "chapter",
    "inbook": "chapter", "inproceedings": "paper-conference", "conference": "paper-conference", "proceedings": "book",
    "phdthesis": "thesis", "mastersthesis": "thesis", "thesis": "thesis", "techreport": "report", "report": "report",
    "manual": "report", "online": "webpage", "electronic": "webpage", "www": "webpage", "unpublished": "manuscript",
    "patent": "patent", "dataset": "dataset", "software": "software", "inreference": "entry-encyclopedia",
}  # fmt: skip
_FIELDS = {
    "title": ("title",), "container-title": ("journal", "journaltitle", "booktitle"), "collection-title": ("series",),
    "publisher": ("publisher", "school", "institution", "organization"), "publisher-place": ("address", "location"),
    "volume": ("volume",), "edition": ("edition",), "page": ("pages",), "event-title": ("eventtitle",),
    "genre": ("type",), "version": ("version",), "language": ("langid", "language"), "DOI": ("doi",),
    "ISBN": ("isbn",), "ISSN": ("issn",), "URL": ("url",),
}  # fmt: skip
_VERBATIM = frozenset(("file", "url", "doi", "eprint"))
_AND = re.compile(r"\sand\s", re.IGNORECASE)
logging.getLogger("pylatexenc").setLevel(logging.CRITICAL)


def bibtex_entries(file: IO[str]) -> Iterator[LibraryEntry]:
    """Yield the entries of a file."""
    strings: dict[str, str] = {}
    decoder = LatexDecodingMiddleware()
    for part in _parts(file):
        library = Splitter(part).split()
        for string in library.strings:
            strings[string.key.lower()] = _value(str(string.value), strings)
        for entry in library.entries:
            raw = {field.key.lower(): _value(str(field.value), strings) for field in entry.fields[:200]}
            plain = _decoded(decoder, raw)
            tags = texts(re.split(r"[,;]", plain.get("keywords", "")))
            record = _record(entry.entry_type.lower(), entry.key, raw, plain)
            yield LibraryEntry(record, tags, paths=file_paths(raw.get("file", "")))


def _parts(file: IO[str]) -> Iterator[str]:
    """Yield the file in parts of whole entries; what has no beginning of an entry for long is left out."""
    lines: list[str] = []
    size = 0
    while line := file.readline(_MOST_LINE):
        if line.startswith("@") and size >= _PART:
            yield "".join(lines)
            lines, size = [], 0
        if size < _MOST_PART:
            lines.append(line)
            size += len(line)
    yield "".join(lines)


def _value(raw: str, strings: Mapping[str, str]) -> str:
    """Return a value without what encloses it; a name of a string stands for its text."""
    text = raw[:MOST_CHARS].strip()
    if len(text) > 1 and (text[0], text[-1]) in (("{", "}"), ('"', '"')):
        return text[1:-1]
    return strings.get(text.lower(), text)


def _decoded(decoder: LatexDecodingMiddleware, raw: Mapping[str, str]) -> dict[str, str]:
    """Return the values as a reader sees them; one that is no LaTeX stays as it is written."""
    fields = [Field(name, value) for name, value in raw.items() if name not in (*_VERBATIM, "author", "editor")]
    for name in ("author", "editor"):
        fields += [Field(f"{name} {n}", part) for n, part in enumerate(_split_names(raw.get(name, "")))]
    entry = Entry("misc", "", fields)
    decoder.transform_entry(entry, None)  # type: ignore[arg-type]  # what cannot be decoded it leaves in its place
    return {field.key: one_line(field.value) for field in entry.fields}


def _split_names(text: str) -> list[str]:
    """Return the names of a list joined by "and" outside braces, as they are written."""
    names, start, depth, at = [], 0, 0, 0
    for found in _AND.finditer(text):
        depth += text.count("{", at, found.start()) - text.count("}", at, found.start())
        at = found.start()
        if depth <= 0:
            names.append(text[start:at])
            start = found.end()
    return [name.strip() for name in (*names, text[start:]) if name.strip()][:MOST_NAMES]


def _record(kind: str, key: str, raw: Mapping[str, str], plain: Mapping[str, str]) -> dict[str, Any]:
    record: dict[str, Any] = {"type": _TYPES.get(kind, "document")}
    for variable, names in _FIELDS.items():
        value = next((text for name in names if (text := plain.get(name) or _unescaped(raw, name))), "")
        if value:
            record[variable] = value.replace("--", "-").replace("\u2013", "-") if variable == "page" else value
    if number := plain.get("number"):
        record["issue" if kind == "article" else "number"] = number
    if raw.get("eprint") and raw.get("archiveprefix", raw.get("eprinttype", "")).lower() == "arxiv":
        record["number"] = f"arXiv:{one_line(raw['eprint'])}"
    if one_line(key):
        record["citation-key"] = one_line(key)[:200]
    if date := _date(plain):
        record["issued"] = date
    for role in ("author", "editor"):
        pairs = ((written, plain[f"{role} {n}"]) for n, written in enumerate(_split_names(raw.get(role, ""))))
        people = (name_of(_creator(written, name)) for written, name in pairs if name.lower() != "others")
        if authors := list(filter(None, people)):
            record[role] = authors
    return record


def _unescaped(raw: Mapping[str, str], name: str) -> str:
    return one_line(re.sub(r"\\([_%&#$~{}])", r"\1", raw.get(name, ""))) if name in _VERBATIM else ""


def _creator(written: str, name: str) -> Creator:
    """Return a name of BibTeX: one in braces is whole, "Last, First", or else the last word is the family's."""
    if written.startswith("{") and written.endswith("}") and "{" not in written[1:-1]:
        return Creator("author", "", name, whole=True)
    pieces = [piece.strip() for piece in name.split(",")]
    if len(pieces) > 1:
        return Creator("author", pieces[-1], ", ".join(pieces[:-1]))
    words = name.split()
    first = next((n for n, word in enumerate(words[:-1]) if n and word[:1].islower()), len(words) - 1)
    return Creator("author", " ".join(words[:first]), " ".join(words[first:]))


def _date(plain: Mapping[str, str]) -> dict[str, Any]:
    if plain.get("date"):
        return date_of(plain["date"])
    year, month = plain.get("year", ""), MONTHS.get(plain.get("month", "").lower()[:3])
    if month and re.fullmatch(r"\d{4}", year):
        return date_of(f"{year}-{month:02d}")
    return date_of(year) if year else {}


def file_paths(text: str) -> tuple[str, ...]:
    r"""Return the paths in a field of files: "a.pdf;b.html", or "Title:a.pdf:application/pdf", `\` before a sign."""
    paths: list[str] = []
    for item in re.split(r"(?<!\\);", text):
        parts = [_plain(part) for part in re.split(r"(?<!\\):", item)]
        named = [part for part in parts if part.lower().endswith(tuple(READ_SUFFIXES))]
        if len(parts) >= 3:
            paths.append(":".join(parts[1:-1]))
        elif named and len(parts) == 2 and len(parts[0]) > 1:
            paths.append(named[-1])
        else:
            paths.append(_plain(item))
    return tuple(dict.fromkeys(filter(None, map(str.strip, paths))))


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
