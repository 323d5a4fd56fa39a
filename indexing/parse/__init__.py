"""Parse: a file becomes pages of elements, each with its text, its words and its box.

The layout model takes a second to load, and is loaded for the first page that is parsed: drawing pages needs none.
"""

from typing import TYPE_CHECKING

from indexing.late import late
from indexing.parse.document import FORMATS, identify, is_locked, metadata_of, open_pages, rendered_pages
from indexing.parse.font_maps import disguised, doubtful_glyphs
from indexing.parse.groups import with_groups
from indexing.parse.likeness import unlike, unlike_lines
from indexing.parse.marking import annotated
from indexing.parse.orientation import Frame, text_frame
from indexing.parse.scan import Word, alphabet, image_caption, ocr_layer_of, read_page, recognise
from indexing.parse.sections import Outline
from indexing.parse.term_lines import heads_term

if TYPE_CHECKING:
    from indexing.parse import layout
    from indexing.parse.layout import MIN_LAYER_CHARS, parse_page
    from indexing.parse.rendered import placed
    from indexing.parse.typography import PrintedPage, PrintedWord, layer_words, printed_page

__all__ = [
    "FORMATS",
    "MIN_LAYER_CHARS",
    "Frame",
    "Outline",
    "PrintedPage",
    "PrintedWord",
    "Word",
    "alphabet",
    "annotated",
    "disguised",
    "doubtful_glyphs",
    "heads_term",
    "identify",
    "image_caption",
    "is_locked",
    "layer_words",
    "layout",
    "metadata_of",
    "ocr_layer_of",
    "open_pages",
    "parse_page",
    "placed",
    "printed_page",
    "read_page",
    "recognise",
    "rendered_pages",
    "text_frame",
    "unlike",
    "unlike_lines",
    "with_groups",
]


_LATE = dict.fromkeys(("MIN_LAYER_CHARS", "parse_page"), "layout")
_LATE |= {"placed": "rendered"}
_LATE |= dict.fromkeys(("PrintedPage", "PrintedWord", "layer_words", "printed_page"), "typography")
__getattr__ = late(__name__, _LATE)
