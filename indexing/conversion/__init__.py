"""Conversion: a file without pages of its own becomes a rendition, a PDF and the elements that are on it."""

from indexing.conversion.formats import CONVERTED, ConvertedFormat, convert
from indexing.conversion.rendition import PAGES_SUFFIX, Attachment, Block, Rendition
from indexing.conversion.stored_pages import elements_of, read_page_of, write_pages

__all__ = [
    "CONVERTED",
    "PAGES_SUFFIX",
    "Attachment",
    "Block",
    "ConvertedFormat",
    "Rendition",
    "convert",
    "elements_of",
    "read_page_of",
    "write_pages",
]
