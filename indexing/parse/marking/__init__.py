"""Draw highlights and comments on a copy of a document, without its active content."""

from indexing.parse.marking.active_content import without_active_content
from indexing.parse.marking.annotate import annotate

__all__ = ["annotate", "without_active_content"]
