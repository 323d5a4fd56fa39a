"""Select documents by a filter, with an error that lists the existing values if none matches."""

from __future__ import annotations

from collections.abc import Sequence

from indexing.errors import NothingFits
from indexing.filters.facets import describe_values
from indexing.filters.syntax import parse_filter
from indexing.types import Document


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
