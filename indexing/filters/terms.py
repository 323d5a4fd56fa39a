"""The tree of a filter: comparisons joined by and, or and not, each evaluated over a document in Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from indexing.filters.fields import FilterField, Operator, in_order, plain
from indexing.types import Document


class DocumentFilter(Protocol):
    """A filter: what every part of the tree can do."""

    def fits(self, document: Document) -> bool:
        """Return True for a document that matches."""

    def fields(self) -> Iterable[str]:
        """Yield the names of the fields that it compares."""


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
