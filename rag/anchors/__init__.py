"""Anchors: a cited place that can be found again after re-indexing, moving or renaming its file."""

from rag.anchors.anchor import Anchor, anchor_of
from rag.anchors.resolve import Resolved, resolve

__all__ = ["Anchor", "Resolved", "anchor_of", "resolve"]
