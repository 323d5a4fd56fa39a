"""Parse: a file becomes pages of elements, each with its text, its words and its box."""

from indexing.parse import layout
from indexing.parse.annotate import annotated
from indexing.parse.document import FORMATS, identify, is_locked, open_pages
from indexing.parse.groups import with_groups
from indexing.parse.layout import MIN_LAYER_CHARS, parse_page
from indexing.parse.orientation import Frame, text_frame
from indexing.parse.scan import Word, ocr_layer_of, read_page, recognise
from indexing.parse.sections import Outline

__all__ = [
    "FORMATS",
    "MIN_LAYER_CHARS",
    "Frame",
    "Outline",
    "Word",
    "annotated",
    "identify",
    "is_locked",
    "layout",
    "ocr_layer_of",
    "open_pages",
    "parse_page",
    "read_page",
    "recognise",
    "text_frame",
    "with_groups",
]
