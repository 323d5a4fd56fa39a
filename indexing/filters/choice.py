"""The choice of documents by a filter, and what is said where none fits."""

from __future__ import annotations

from collections.abc import Sequence

from indexing.errors import NothingFits
from indexing.filters.facets import values_told
from indexing.filters.syntax import parse_filter
from indexing.types import Document


def fitting_documents(documents: Sequence[Document], where: str, collection: str) -> tuple[Document, ...]:
    """Return the documents that a filter lets through. Raises BadFilter; NothingFits, which tells the values there are.

    `collection` is the name for the message.
    """
    tree = parse_filter(where)
    found = tuple(d for d in documents if tree.fits(d))
    if not found:
        told = values_told(documents, tree.fields()) if documents else "it holds no documents yet"
        raise NothingFits(
            f"no document of collection {collection!r} matches the filter "
            f"{where.strip()!r}{f' ({told})' if told else ''}: use another filter, or none"
        )
    return found
