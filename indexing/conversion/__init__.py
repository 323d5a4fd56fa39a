"""Conversion: a file without pages of its own becomes a rendition, a PDF and the elements that are on it."""

from indexing.conversion.formats import CONVERTED, ConvertedFormat, convert
from indexing.conversion.rendition import PAGES_SUFFIX, Attachment, Block, Rendition
from indexing.conversion.stored_pages import elements_of, read_page_of, write_pages
from indexing.conversion.typesetting import cell_place

__all__ = [
    "CONVERTED",
    "PAGES_SUFFIX",
    "Attachment",
    "Block",
    "ConvertedFormat",
    "Rendition",
    "cell_place",
    "convert",
    "elements_of",
    "read_page_of",
    "write_pages",
]
