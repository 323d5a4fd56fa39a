"""Entries: a paper of any format -> its bibliography, split into entries with their boxes."""

from rag.references.entries.bibliography import Bibliography
from rag.references.entries.headings import heads_bibliography
from rag.references.entries.reading import references_in, references_of

__all__ = ["Bibliography", "heads_bibliography", "references_in", "references_of"]
