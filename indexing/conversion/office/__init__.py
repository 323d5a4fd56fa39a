"""Convert Office files: texts and slides through LibreOffice, spreadsheets cell by cell."""

from indexing.conversion.office.documents import document_rendition, slides_rendition
from indexing.conversion.office.libreoffice import program
from indexing.conversion.office.sheets import spreadsheet_rendition

__all__ = ["document_rendition", "program", "slides_rendition", "spreadsheet_rendition"]
