"""The note for an answer that cites documents whose files no longer exist."""

from __future__ import annotations

from collections.abc import Iterable

from indexing import Collection
from rag.types import Sentence

MOST_NAMED = 5
"""The most documents that the note names."""


def missing_notes(collection: Collection, sentences: Iterable[Sentence]) -> tuple[str, ...]:
    """Return a note that names the cited documents whose files no longer exist; empty if there are none."""
    cited_ids = {citation.doc_id for sentence in sentences for citation in sentence.citations}
    names = [d.name for d in collection.documents() if d.metadata.missing and d.id in cited_ids] if cited_ids else []
    if not names:
        return ()
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    reason = "its file is gone from its folder" if len(names) == 1 else "their files are gone from their folders"
    return (f"{', '.join(names[:MOST_NAMED])}{more}: {reason}, and what is cited is the last version that was read.",)
