"""Marks of citation, those with authors and years among them, and the form in which names are compared."""

from plugins.audit.marks.marked import Marked, find_marks, split_marks
from plugins.audit.marks.names import (
    ET_AL,
    PARTICLES,
    YEAR,
    fold_name,
    has_loose_accent,
    with_accents,
    without_loose_accents,
)
