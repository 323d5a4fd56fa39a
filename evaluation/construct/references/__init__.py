"""Build bibliographies from BibTeX records, correct or with deliberate errors."""

from evaluation.construct.references.construction import REFERENCES_FILE, ReferenceRecipe, construct
from evaluation.construct.references.printing import PrintedPiece, printed, text_of
from evaluation.construct.references.styles import STYLES, BibliographyStyle, drawn_style
from evaluation.construct.references.works import PersonName, Work, read_works

__all__ = [
    "REFERENCES_FILE",
    "STYLES",
    "BibliographyStyle",
    "PersonName",
    "PrintedPiece",
    "ReferenceRecipe",
    "Work",
    "construct",
    "drawn_style",
    "printed",
    "read_works",
    "text_of",
]
