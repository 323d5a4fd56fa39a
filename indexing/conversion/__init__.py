"""Convert files without pages of their own to a PDF and the elements on it."""

from indexing.conversion.formats import CONVERTED, ConvertedFormat, convert
from indexing.conversion.fragment import text_fragment
from indexing.conversion.raised import RAISED_DIGITS, RAISED_LETTERS, raised, spelled
from indexing.conversion.readers import FormatReader, format_readers
from indexing.conversion.rendition import PAGES_SUFFIX, Attachment, Rendition, SourceBlock
from indexing.conversion.stored_pages import elements_of, has_elements, read_page_of, write_pages
from indexing.conversion.struck import BEGIN as STRUCK_BEGIN
from indexing.conversion.struck import END as STRUCK_END
from indexing.conversion.struck import as_printed, without_struck
from indexing.conversion.typesetting import cell_place, cited_place, joined_place

__all__ = [
    "CONVERTED",
    "PAGES_SUFFIX",
    "RAISED_DIGITS",
    "RAISED_LETTERS",
    "STRUCK_BEGIN",
    "STRUCK_END",
    "Attachment",
    "ConvertedFormat",
    "FormatReader",
    "Rendition",
    "SourceBlock",
    "as_printed",
    "cell_place",
    "cited_place",
    "convert",
    "elements_of",
    "format_readers",
    "has_elements",
    "joined_place",
    "raised",
    "read_page_of",
    "spelled",
    "text_fragment",
    "without_struck",
    "write_pages",
]
