"""Export a checked text with the verdict on each statement, as PDF, Word file or web page."""

from ui.export.copies.annotated import Checkup, annotated_copy, copy_form

__all__ = ["Checkup", "annotated_copy", "copy_form"]
