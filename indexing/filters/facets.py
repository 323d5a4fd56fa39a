"""Select documents by a filter, and count the values that documents have, for menus and for errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from indexing.errors import NothingFits
from indexing.filters.syntax import parse_filter
from indexing.filters.terms import FIELDS, suffix_of
from indexing.types import Document

Counts = tuple[tuple[str, int], ...]
MAX_SHOWN_VALUES = 6
"""The most values of a field that an error lists."""


@dataclass(frozen=True, slots=True)
class Facets:
    """The tags, years, kinds of files and languages of documents, each with the number of documents that have it.

    The commonest come first, years the latest first.
    """

    tags: Counts = ()
    years: Counts = ()
    kinds: Counts = ()
    languages: Counts = ()


def facets_of(documents: Sequence[Document]) -> Facets:
    """Return the facets of documents."""
    years = Counter(d.metadata.date[:4] for d in documents if d.metadata.date[:4].isdigit())
    return Facets(
        _count_values(tag for d in documents for tag in d.metadata.tags),
        tuple(sorted(years.items(), reverse=True)),
        _count_values(suffix for d in documents if (suffix := suffix_of(d))),
        _count_values(d.metadata.language for d in documents if d.metadata.language),
    )


def describe_values(documents: Sequence[Document], names: Iterable[str]) -> str:
    """Return a text such as `tag is one of minutes, budget; date is 2024`: the existing values of some fields.

    It also names fields in which no document has a value.
    """
    descriptions: list[str] = []
    for name in dict.fromkeys(names):
        counts = Counter(value for d in documents for value in FIELDS[name].values(d))
        values = [value if len(value) <= 40 else f"{value[:39]}…" for value, _ in counts.most_common(MAX_SHOWN_VALUES)]
        if not values:
            descriptions.append(f"no document has a {name}")
        else:
            more = f" and {len(counts) - len(values)} more" if len(counts) > len(values) else ""
            descriptions.append(f"{name} is {'one of ' if len(counts) > 1 else ''}{', '.join(values)}{more}")
    return "; ".join(descriptions)


def _count_values(values: Iterable[str]) -> Counts:
    return tuple(sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0])))


def fitting_documents(documents: Sequence[Document], where: str, collection: str) -> tuple[Document, ...]:
    """Return the documents that match a filter. Raises BadFilter, and NothingFits, which lists the existing values.

    `collection` is the name for the message.
    """
    tree = parse_filter(where)
    fitting = tuple(d for d in documents if tree.fits(d))
    if not fitting:
        values = describe_values(documents, tree.fields()) if documents else "it holds no documents yet"
        raise NothingFits(
            f"no document of collection {collection!r} matches the filter "
            f"{where.strip()!r}{f' ({values})' if values else ''}: use another filter, or none"
        )
    return fitting
