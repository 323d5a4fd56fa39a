"""Convert Office files: texts and slides through LibreOffice, spreadsheets cell by cell."""

from plugins.formats.office.documents import document_rendition, slides_rendition
from plugins.formats.office.libreoffice import program
from plugins.formats.office.workbooks import spreadsheet_rendition
