"""The error of evidence packs."""

from rag import RagError


class PackUnusable(RagError):
    """A file is no evidence pack, key or signature, or is made to do harm; nothing of it was used."""
