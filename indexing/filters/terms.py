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
        """Return True for a document that the filter lets through."""

    def fields(self) -> Iterable[str]:
        """Yield the names of the fields that it compares."""


@dataclass(frozen=True, slots=True)
class FieldTest:
    """A comparison of a field with a value; "" stands for a document in which nothing is known there.

    A document with several values fits `=` and `~` by any of them, and `!=` by none; without a value it fits `!=`.
    """

    field: FilterField
    operator: Operator
    value: str

    def fits(self, document: Document) -> bool:
        """Return True where the comparison holds."""
        known = self.field.values(document)
        if self.operator == "!=":
            return not self._any(known, "=")
        return self._any(known, self.operator)

    def _any(self, known: tuple[str, ...], operator: Operator) -> bool:
        if not self.value:
            return operator == "=" and not known
        if operator == "~":
            return any(plain(self.value) in plain(each) for each in known)
        if self.field.ordered:
            return any(in_order(each, operator, self.value) for each in known)
        return any(self.field.fits(plain(each), plain(self.value)) for each in known)

    def fields(self) -> Iterable[str]:
        """Yield the name of the field."""
        yield self.field.name


@dataclass(frozen=True, slots=True)
class MissingTest:
    """A question for documents whose file is gone from its folder."""

    def fits(self, document: Document) -> bool:
        """Return True where it is."""
        return document.metadata.missing

    def fields(self) -> Iterable[str]:
        """Yield nothing: no value is compared."""
        return ()


@dataclass(frozen=True, slots=True)
class Negated:
    """A part that must not hold."""

    part: DocumentFilter

    def fits(self, document: Document) -> bool:
        """Return True where the part does not hold."""
        return not self.part.fits(document)

    def fields(self) -> Iterable[str]:
        """Yield the fields of the part."""
        return self.part.fields()


@dataclass(frozen=True, slots=True)
class Joined:
    """Parts of which all must hold, or any."""

    parts: tuple[DocumentFilter, ...]
    every: bool

    def fits(self, document: Document) -> bool:
        """Return True where they hold."""
        held = (part.fits(document) for part in self.parts)
        return all(held) if self.every else any(held)

    def fields(self) -> Iterable[str]:
        """Yield the fields of the parts."""
        for part in self.parts:
            yield from part.fields()
