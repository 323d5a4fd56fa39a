"""Parse a file into pages of elements, each with its text, its words and its box.

Nothing is loaded before it is asked for. The layout model takes a second, and drawing pages needs none; PyMuPDF takes
half a one, and of a question nothing but the lines that name a term is asked here.
"""

from typing import TYPE_CHECKING

from indexing.lazy_imports import lazy_names

if TYPE_CHECKING:
    from indexing.parse import layout
    from indexing.parse.annotations import annotate
    from indexing.parse.document import (
        identify,
        is_locked,
        is_zipped,
        metadata_of,
        open_pages,
        readable_formats,
        rendered_pages,
    )
    from indexing.parse.font_maps import doubtful_glyphs, is_disguised
    from indexing.parse.layout import needs_ocr, parse_page
    from indexing.parse.print_verification import mismatches, mismatches_by_line, seen_regions
    from indexing.parse.printed import PrintedPage, PrintedWord, printed_page
    from indexing.parse.rendered import place_page
    from indexing.parse.scan import Word, alphabet, image_caption, read_page, recognise, scanned_text
    from indexing.parse.sections import Outline
    from indexing.parse.term_lines import heads_term
    from indexing.parse.text_layer import layer_words

_MODULES = {
    "annotations": ("annotate",),
    "document": (
        "identify",
        "is_locked",
        "is_zipped",
        "metadata_of",
        "open_pages",
        "readable_formats",
        "rendered_pages",
    ),
    "font_maps": ("doubtful_glyphs", "is_disguised"),
    "text_layer": ("layer_words",),
    "layout": ("needs_ocr", "parse_page"),
    "print_verification": ("seen_regions", "mismatches", "mismatches_by_line"),
    "printed": ("PrintedPage", "PrintedWord", "printed_page"),
    "rendered": ("place_page",),
    "scan": ("Word", "alphabet", "image_caption", "read_page", "recognise", "scanned_text"),
    "sections": ("Outline",),
    "term_lines": ("heads_term",),
}
__getattr__ = lazy_names(__name__, {name: module for module, names in _MODULES.items() for name in names})
