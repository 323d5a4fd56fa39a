"""Export the documents that an answer cites as bibliography entries, in BibTeX and RIS."""

from ui.export.works.bibtex import bibtex
from ui.export.works.ris import ris
from ui.export.works.works import CitedEntry, cited_entries

__all__ = ["CitedEntry", "bibtex", "cited_entries", "ris"]
