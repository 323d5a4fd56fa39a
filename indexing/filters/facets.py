"""Facets: the values that the documents of a collection have, counted, to choose from and to tell in errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from indexing.filters.fields import FIELDS, suffix_of
from indexing.types import Document

Counted = tuple[tuple[str, int], ...]
MAX_SHOWN_VALUES = 6
"""The most values of a field that an error lists."""


@dataclass(frozen=True, slots=True)
class Facets:
    """Tags, years, kinds of files and languages, each with the number of its documents.

    The commonest come first, years the latest first.
    """

    tags: Counted = ()
    years: Counted = ()
    kinds: Counted = ()
    languages: Counted = ()


def facets_of(documents: Sequence[Document]) -> Facets:
    """Count the values of documents."""
    years = Counter(d.metadata.date[:4] for d in documents if d.metadata.date[:4].isdigit())
    return Facets(
        _counted(tag for d in documents for tag in d.metadata.tags),
        tuple(sorted(years.items(), reverse=True)),
        _counted(suffix for d in documents if (suffix := suffix_of(d))),
        _counted(d.metadata.language for d in documents if d.metadata.language),
    )


def values_told(documents: Sequence[Document], names: Iterable[str]) -> str:
    """Return `tag is one of minutes, budget; date is 2024`: the values that there are in some fields.

    Fields in which no document has a value are told as such.
    """
    told: list[str] = []
    for name in dict.fromkeys(names):
        counted = Counter(value for d in documents for value in FIELDS[name].values(d))
        shown = [value if len(value) <= 40 else f"{value[:39]}…" for value, _ in counted.most_common(MAX_SHOWN_VALUES)]
        if not shown:
            told.append(f"no document has a {name}")
        else:
            more = f" and {len(counted) - len(shown)} more" if len(counted) > len(shown) else ""
            told.append(f"{name} is {'one of ' if len(counted) > 1 else ''}{', '.join(shown)}{more}")
    return "; ".join(told)


def _counted(values: Iterable[str]) -> Counted:
    return tuple(sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0])))
