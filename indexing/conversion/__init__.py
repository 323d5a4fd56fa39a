"""Conversion: a file without pages of its own becomes a rendition, a PDF and the elements that are on it."""

from indexing.conversion.formats import CONVERTED, ConvertedFormat, convert
from indexing.conversion.rendition import PAGES_SUFFIX, Attachment, Rendition, SourceBlock
from indexing.conversion.stored_pages import elements_of, has_elements, read_page_of, write_pages
from indexing.conversion.typesetting import cell_place

__all__ = [
    "CONVERTED",
    "PAGES_SUFFIX",
    "Attachment",
    "ConvertedFormat",
    "Rendition",
    "SourceBlock",
    "cell_place",
    "convert",
    "elements_of",
    "has_elements",
    "read_page_of",
    "write_pages",
]
