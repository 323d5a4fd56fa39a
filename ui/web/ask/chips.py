"""The chips by which documents are chosen: tags, years, kinds of files; those that are on become a filter. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from indexing import Document, facets_of
from ui.show import shorten

MOST_CHIPS = {"tag": 8, "date": 5, "kind": 5}
"""The most chips of each field, the commonest and the latest; a filter in words knows them all."""
_CHARS = 24
"""The most characters of a value that are shown."""


def chips_of(documents: Sequence[Document]) -> list[tuple[str, str]]:
    """Return the chips as (shown, meant), such as ("minutes (12)", "tag=minutes").

    A value that all documents have chooses nothing, so it gets none.
    """
    facets = facets_of(documents)
    chips: list[tuple[str, str]] = []
    for field, counted in (("tag", facets.tags), ("date", facets.years), ("kind", facets.kinds)):
        telling = [(value, n) for value, n in counted if n < len(documents) and _quote(value)]
        chips += [(f"{shorten(value, _CHARS)} ({n})", f"{field}={value}") for value, n in telling[: MOST_CHIPS[field]]]
    return chips


def where_of(chosen: Sequence[str] | None) -> str | None:
    """Return the filter of the chips that are on: any value of a field, and all fields; None without a chip."""
    by_field: dict[str, list[str]] = {}
    for chip in chosen or ():
        field, _, value = str(chip).partition("=")
        by_field.setdefault(field, []).append(f"{field}={_quote(value)}")
    parts = [" or ".join(tests) for tests in by_field.values()]
    return " and ".join(f"({part})" if len(parts) > 1 else part for part in parts) or None


def _quote(value: str) -> str:
    """Return a value in quotes; "" for one that has quotes of both kinds."""
    mark = '"' if '"' not in value else "'"
    return "" if mark in value else f"{mark}{value}{mark}"
