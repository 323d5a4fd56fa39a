"""Build bibliographies from BibTeX records, correct or with deliberate errors."""

from plugins.audit.evaluation.construct.construction import REFERENCES_FILE, ReferenceRecipe, construct
from plugins.audit.evaluation.construct.printing import PrintedPiece, printed, text_of
from plugins.audit.evaluation.construct.styles import STYLES, BibliographyStyle
from plugins.audit.evaluation.construct.works import PersonName, Work, read_works

__all__ = [
    "REFERENCES_FILE",
    "STYLES",
    "BibliographyStyle",
    "PersonName",
    "PrintedPiece",
    "ReferenceRecipe",
    "Work",
    "construct",
    "printed",
    "read_works",
    "text_of",
]
