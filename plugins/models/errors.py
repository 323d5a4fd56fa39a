"""The errors of `vouch models`, which are errors of answering too."""

from __future__ import annotations

from rag import RagError


class ModelsError(RagError):
    """A model cannot be had, fetched or used; the message says why and what to do."""
