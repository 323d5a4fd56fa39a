"""Exports: an answer with its evidence as Markdown, HTML or PDF."""

from ui.export.export import export

__all__ = ["export"]
