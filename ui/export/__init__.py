"""Exports: an answer with its evidence as Markdown, HTML or PDF."""

from ui.export.export import export, form_of

__all__ = ["export", "form_of"]
