"""The tree of a filter: comparisons of fields joined by and, or and not, evaluated over a document in Python."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, TypeAlias

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
    """Return the first and last day that a date can stand for; "2024-02" ends with a 31st, which sorts right."""
    return date + _FIRST[len(date) - 4 :], date + _LAST[len(date) - 4 :]


def in_order(value: str, operator: Operator, filter_date: str) -> bool:
    """Return True if the date of a document, whichever day it stands for, compares so with the date of the filter.

    >>> in_order("2024-05", ">=", "2024"), in_order("2024", ">=", "2024-05"), in_order("2024", "=", "2024-05")
    (True, False, False)
    """
    (first, last), (from_, to) = span_of(value), span_of(filter_date)
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


def _is_below(value: str, folder: str) -> bool:
    """Return True if `value` is the folder, or below it at any depth."""
    folder = folder.strip("/")
    return value == folder or value.startswith(f"{folder}/")


def _same(value: str, target: str) -> bool:
    return value == target


def _same_suffix(value: str, target: str) -> bool:
    return value == target.removeprefix(".")


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


@dataclass(frozen=True, slots=True)
class FieldTest:
    """A comparison of a field with a value; "" matches a document without a value.

    A document with several values fits `=` and `~` by any of them, and `!=` by none; without a value it fits `!=`.
    """

    field: FilterField
    operator: Operator
    value: str

    def fits(self, document: Document) -> bool:
        """Return True if the comparison is true of the document."""
        values = self.field.values(document)
        if self.operator == "!=":
            return not self._any(values, "=")
        return self._any(values, self.operator)

    def _any(self, values: tuple[str, ...], operator: Operator) -> bool:
        """Return True if one of the values fits by `operator`; for the value "" of the filter, if there are none."""
        if not self.value:
            return operator == "=" and not values
        if operator == "~":
            return any(plain(self.value) in plain(each) for each in values)
        if self.field.ordered:
            return any(in_order(each, operator, self.value) for each in values)
        return any(self.field.fits(plain(each), plain(self.value)) for each in values)

    def fields(self) -> Iterable[str]:
        """Yield the name of the field."""
        yield self.field.name


@dataclass(frozen=True, slots=True)
class MissingTest:
    """A test for documents whose file is missing from its folder."""

    def fits(self, document: Document) -> bool:
        """Return True if it is missing."""
        return document.metadata.missing

    def fields(self) -> Iterable[str]:
        """Yield nothing: no value is compared."""
        return ()


@dataclass(frozen=True, slots=True)
class Negation:
    """A part that must not match."""

    part: DocumentFilter

    def fits(self, document: Document) -> bool:
        """Return True if the part does not match."""
        return not self.part.fits(document)

    def fields(self) -> Iterable[str]:
        """Yield the fields of the part."""
        return self.part.fields()


@dataclass(frozen=True, slots=True)
class Junction:
    """Parts of which all must match (`every`), or any."""

    parts: tuple[DocumentFilter, ...]
    every: bool

    def fits(self, document: Document) -> bool:
        """Return True if they match."""
        results = (part.fits(document) for part in self.parts)
        return all(results) if self.every else any(results)

    def fields(self) -> Iterable[str]:
        """Yield the fields of the parts."""
        for part in self.parts:
            yield from part.fields()


DocumentFilter: TypeAlias = FieldTest | MissingTest | Negation | Junction
"""A filter: `fits` says which documents match, and `fields` names the fields that it compares."""
