"""Which document a person means."""

from __future__ import annotations

from collections.abc import Sequence

from indexing.errors import DocumentMissing
from indexing.types import Document


def named(name_or_id: str, documents: Sequence[Document], collection: str) -> Document:
    """The document with that id, name or path; DocumentMissing when there is none or more than one of the name."""
    found = [d for d in documents if name_or_id in (d.id, d.path)] or [d for d in documents if d.name == name_or_id]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(f"{d.id} ({d.path})" for d in found)
        raise DocumentMissing(f"{name_or_id!r} names {len(found)} documents: say which by id: {ids}")
    names = ", ".join(d.name for d in documents[:20]) or "none"
    raise DocumentMissing(f"no document {name_or_id!r} in collection {collection!r} (there are: {names})")
