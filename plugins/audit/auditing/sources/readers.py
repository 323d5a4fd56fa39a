"""Readers: a bibliography or dump of any size (BibTeX, CSL-JSON, Crossref, OpenAlex, arXiv) -> its records.

Known forms: BibTeX (.bib), RIS (.ris), CSL-JSON (.json), and the dumps of Crossref, OpenAlex and arXiv as
JSON lines (.jsonl, .json) or, Crossref's, as {"items": [...]}. Nothing is held but the record that is read, or one
array of JSON.
"""

from __future__ import annotations

import gzip
import html
import io
import json
import logging
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, cast

import rispy
from bibtexparser.library import Library
from bibtexparser.middlewares.names import split_multiple_persons_names
from bibtexparser.splitter import Splitter

from plugins.audit.auditing.sources.identifiers import identifiers
from plugins.audit.auditing.types import Record
from plugins.audit.errors import BibliographyUnreadable
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


MOST_VALUE = 4_000_000
"""The bytes of one line: a work with 3,000 authors has 1.5 million."""
MOST_WHOLE = 100_000_000
"""The bytes of a file that is no lines: the parts of Crossref's dump have half of that, unpacked."""
_MOST_TEXT, _MOST_NAMES = 4_000, 5_000
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,100}>")
_Object = Mapping[str, Any]


def json_values(file: IO[bytes]) -> Iterator[object]:
    """Yield the values of a file: of one object a line, where a line that is no JSON is left out, or of a whole array.

    Raises ValueError for an array, or an object with `items`, that is not whole, too large or too deep.
    """
    first = file.readline(MOST_VALUE).removeprefix(b"\xef\xbb\xbf").lstrip()
    value = _load(first)
    if isinstance(value, dict) and not isinstance(value.get("items"), list):
        yield value
        while line := file.readline(MOST_VALUE):
            yield _load(line)
        return
    text = first + file.read(MOST_WHOLE)
    if len(text) > MOST_WHOLE:
        raise ValueError(f"an array has at most {MOST_WHOLE // 1_000_000} MB: write it as one object per line")
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("a value is nested too deeply") from None
    items = value.get("items") if isinstance(value, dict) else value
    yield from items if isinstance(items, list) else [value]


def _load(line: bytes) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def json_record(value: object, source: str) -> Record | None:
    """Return the record of one JSON object; None for anything else, and for an object without a title."""
    if not isinstance(value, Mapping):
        return None
    record = _reader(value)(value, source)
    return record if record.fields.title else None


def _reader(value: _Object) -> Callable[[_Object, str], Record]:
    if str(value.get("id", "")).startswith("https://openalex.org/"):
        return _openalex
    if "authors_parsed" in value or ("authors" in value and "categories" in value):
        return _arxiv
    return _csl  # Crossref's works are CSL with lists in place of texts


def _csl(value: _Object, source: str) -> Record:
    people = _list(value.get("author")) or _list(value.get("editor"))
    doi, arxiv, url = identifiers(
        _text(value.get("DOI")), _text(value.get("URL")), _text(value.get("number")), _text(value.get("note"))
    )
    subtitle = _text(value.get("subtitle"))
    title = _text(value.get("title"))
    return Record(
        BibliographicFields(
            title=f"{title}: {subtitle}" if subtitle and subtitle.lower() not in title.lower() else title,
            authors=tuple(filter(None, map(_csl_name, people))),
            venue=_text(value.get("container-title")) or _text(value.get("publisher")),
            year=_csl_year(value),
            doi=doi,
            arxiv=arxiv,
            url=url,
        ),
        source,
        _text(value.get("DOI") or value.get("id"))[:200],
        _text(value.get("type"))[:40],
    )


def _csl_name(person: object) -> str:
    if not isinstance(person, Mapping):
        return ""
    family = " ".join(filter(None, (_text(person.get("non-dropping-particle")), _text(person.get("family")))))
    given, literal = _text(person.get("given")), _text(person.get("literal") or person.get("name"))
    suffix = _text(person.get("suffix"))
    return ", ".join(filter(None, (family, given, suffix))) or literal


def _csl_year(value: _Object) -> str:
    for name in ("issued", "published", "published-print", "published-online", "created"):
        date = value.get(name)
        parts = date.get("date-parts") if isinstance(date, Mapping) else None
        first = parts[0] if isinstance(parts, list) and parts else None
        if isinstance(first, list) and first and first[0]:
            return str(first[0])[:4]
        if isinstance(date, Mapping) and (match := re.search(r"\d{4}", _text(date.get("raw") or date.get("literal")))):
            return match[0]
    return ""


def _openalex(value: _Object, source: str) -> Record:
    names = (
        _inner(authorship, "raw_author_name") or _inner(_get(authorship, "author"), "display_name")
        for authorship in _list(value.get("authorships"))
    )
    place = _get(value.get("primary_location"), "source") or value.get("host_venue")
    addresses = (_inner(value.get("primary_location"), "landing_page_url"), _inner(value.get("ids"), "doi"))
    doi, arxiv, url = identifiers(_text(value.get("doi")), *addresses)
    return Record(
        BibliographicFields(
            title=_text(value.get("title") or value.get("display_name")),
            authors=tuple(name for name in names if name),
            venue=_inner(place, "display_name"),
            year=_text(value.get("publication_year"))[:4],
            doi=doi,
            arxiv=arxiv,
            url=url,
        ),
        source,
        _text(value.get("id"))[:200],
        _text(value.get("type"))[:40],
    )


def _arxiv(value: _Object, source: str) -> Record:
    name_lists = [_list(name) for name in _list(value.get("authors_parsed"))]
    names = [", ".join(filter(None, (_text(part) for part in name[:2]))) for name in name_lists]
    if not names:
        names = [name.strip() for name in re.split(r",\s|\sand\s", _text(value.get("authors")))]
    number = _text(value.get("id"))
    versions = _list(value.get("versions"))
    match = re.search(r"\b(?:19|20)\d\d\b", _inner(versions[0], "created") if versions else "")
    year = match[0] if match else _number_year(number) or _text(value.get("update_date"))[:4]
    doi, arxiv, _ = identifiers(_text(value.get("doi")), f"arXiv:{number}")
    return Record(
        BibliographicFields(
            title=plain_latex(_text(value.get("title"))),
            authors=tuple(plain_latex(name) for name in names if name),
            venue=_text(value.get("journal-ref")) or "arXiv",
            year=year,
            doi=doi,
            arxiv=arxiv,
        ),
        source,
        number[:200],
        "preprint",
    )


def _number_year(number: str) -> str:
    """Return the year that an arXiv number of the form of 2007 and later tells ("2101.00001" -> "2021")."""
    return f"20{number[:2]}" if re.match(r"\d{4}\.\d{4,5}", number) else ""


def _text(value: object) -> str:
    """Return a value as one line of text without tags; of a list, its first."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if not isinstance(value, str | int):
        return ""
    text = " ".join(html.unescape(_TAG.sub("", str(value)[:_MOST_TEXT])).split())
    return text.encode("utf-8", "replace").decode()  # dumps have halves of characters, which no database takes


def _list(value: object) -> list[Any]:
    return value[:_MOST_NAMES] if isinstance(value, list) else []


def _get(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else None


def _inner(value: object, name: str) -> str:
    return _text(_get(value, name))


FORMS = {
    ".bib": "BibTeX", ".bibtex": "BibTeX", ".ris": "RIS", ".json": "JSON", ".jsonl": "JSON", ".ndjson": "JSON",
}  # fmt: skip
"""The ends of the names of files that are read, each also with `.gz` after it."""

_MOST_RECORD = 2_000_000
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
