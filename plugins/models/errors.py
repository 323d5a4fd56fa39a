"""The errors of `vouch models`, which are errors of answering too."""

from __future__ import annotations

from rag import RagError


class ModelsError(RagError):
    """A model is unavailable, or cannot be fetched or used; the message says why and what to do."""
