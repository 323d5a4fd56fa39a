"""Works: the documents that an answer cites as entries of a bibliography, in BibTeX and in RIS."""

from ui.export.works.bibtex import bibtex
from ui.export.works.ris import ris
from ui.export.works.works import CitedEntry, cited_entries

__all__ = ["CitedEntry", "bibtex", "cited_entries", "ris"]
