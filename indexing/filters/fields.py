"""The fields that a filter can name: the values that a document has there, and the comparisons that make sense."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from indexing.types import Document

Operator = Literal["=", "!=", "~", "<", "<=", ">", ">="]
Values = Callable[[Document], tuple[str, ...]]
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_FIRST, _LAST = "-01-01", "-12-31"


@dataclass(frozen=True, slots=True)
class FilterField:
    """A field: its `values` in a document, none if unknown; `ordered` if dates are compared.

    `fits` compares a value with a word of the filter, both normalized by `plain`.
    """

    name: str
    values: Values
    fits: Callable[[str, str], bool]
    ordered: bool = False

    @property
    def operators(self) -> tuple[Operator, ...]:
        """The comparisons that it takes."""
        return ("=", "!=", "~", "<", "<=", ">", ">=") if self.ordered else ("=", "!=", "~")


def plain(text: str) -> str:
    """Return a text normalized for comparison: case-folded, in Unicode form NFC."""
    return unicodedata.normalize("NFC", text).casefold().strip()


def is_date(text: str) -> bool:
    """Return True for a year, a year and a month, or a day, as ISO 8601 writes them."""
    return _DATE.fullmatch(text) is not None


def span_of(date: str) -> tuple[str, str]:
    """Return the first and the last day that a date may stand for; "2024-02" ends with a 31st, which sorts right."""
    return date + _FIRST[len(date) - 4 :], date + _LAST[len(date) - 4 :]


def in_order(value: str, operator: Operator, asked: str) -> bool:
    """Return True if the date of a document certainly has that order to the date of the filter.

    >>> in_order("2024-05", ">=", "2024"), in_order("2024", ">=", "2024-05"), in_order("2024", "=", "2024-05")
    (True, False, False)
    """
    (first, last), (from_, to) = span_of(value), span_of(asked)
    match operator:
        case "<":
            return last < from_
        case "<=":
            return last <= to
        case ">":
            return first > to
        case ">=":
            return first >= from_
        case _:
            return from_ <= first and last <= to


def _dates(document: Document) -> tuple[str, ...]:
    date = document.metadata.date[:10]
    return (date,) if is_date(date) else ()


def _as_values(value: str) -> tuple[str, ...]:
    return (value,) if value else ()


def _authors(document: Document) -> tuple[str, ...]:
    author = document.metadata.author
    persons = tuple(each.strip() for each in author.split(";") if each.strip())
    return persons if len(persons) < 2 else (author, *persons)


def _is_below(value: str, asked: str) -> bool:
    """Return True for a folder, and for one somewhere below it."""
    asked = asked.strip("/")
    return value == asked or value.startswith(f"{asked}/")


def _same(value: str, asked: str) -> bool:
    return value == asked


def _same_suffix(value: str, asked: str) -> bool:
    return value == asked.removeprefix(".")


def suffix_of(document: Document) -> str:
    """Return the kind of a document's file: its extension in lower case, without the dot."""
    return PurePosixPath(document.name).suffix.lower().removeprefix(".")


FIELDS: dict[str, FilterField] = {
    each.name: each
    for each in (
        FilterField("tag", lambda d: d.metadata.tags, _same),
        FilterField("date", _dates, _same, ordered=True),
        FilterField("author", _authors, _same),
        FilterField("language", lambda d: _as_values(d.metadata.language), _same),
        FilterField("folder", lambda d: _as_values(d.metadata.folder), _is_below),
        FilterField("name", lambda d: (d.name,), _same),
        FilterField("title", lambda d: _as_values(d.title), _same),
        FilterField("kind", lambda d: _as_values(suffix_of(d)), _same_suffix),
    )
}
"""The fields by their names."""
MISSING = "missing"
"""The word that stands for a comparison of its own: the file of the document is gone."""
