"""Convert files without pages of their own to a PDF and the elements on it, by the formats that plugins add."""

from indexing.conversion.formats import convert, converted_formats
from indexing.conversion.places import cell_place, cited_place, joined_place, lines_place, range_place
from indexing.conversion.rendition import PAGES_SUFFIX, Attachment, Rendition
from indexing.conversion.stored_pages import elements_of, has_elements, read_page_of, write_pages
