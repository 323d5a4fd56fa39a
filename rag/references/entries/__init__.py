"""Entries: a paper of any format -> its bibliography, split into entries with their boxes."""

from rag.references.entries.bibliography import Bibliography
from rag.references.entries.reading import references_in, references_of

__all__ = ["Bibliography", "references_in", "references_of"]
