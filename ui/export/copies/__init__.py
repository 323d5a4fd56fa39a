"""Copies: a text that others wrote, with the verdict on each of its statements: PDF, Word file or web page."""

from ui.export.copies.annotated import Checkup, annotated_copy, copy_form

__all__ = ["Checkup", "annotated_copy", "copy_form"]
