"""Records in JSON: a file -> its values, and these -> our records: CSL-JSON, Crossref, OpenAlex, arXiv."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

from plugins.audit.auditing.sources.identifiers import identifiers
from plugins.audit.auditing.types import Record
from plugins.audit.references import BibliographicFields, plain_latex

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
