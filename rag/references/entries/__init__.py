"""Find the bibliography of a paper of any format, and split it into entries with their boxes."""

from rag.references.entries.bibliography import Bibliography
from rag.references.entries.reading import references_of

__all__ = ["Bibliography", "references_of"]
