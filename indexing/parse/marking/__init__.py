"""Marking: a document with marks on its pages, in which nothing acts."""

from indexing.parse.marking.active_content import without_active_content
from indexing.parse.marking.annotate import annotated

__all__ = ["annotated", "without_active_content"]
