"""Read the words of a page with font size and position, which lines are headings, and the printed page number."""

from typing import TYPE_CHECKING

from indexing.late import late
from indexing.parse.typography.headings import Level, level_of, may_head, states_unit, title_of, with_true_headings
from indexing.parse.typography.page_labels import page_label
from indexing.parse.typography.printed import PrintedPage, PrintedWord

if TYPE_CHECKING:
    from indexing.parse.typography.layer import WORD_FLAGS, layer_words
    from indexing.parse.typography.setting import printed_page
    from indexing.parse.typography.struck_words import with_struck_marked
    from indexing.parse.typography.tex_fonts import spell_tex_fonts

__all__ = [
    "WORD_FLAGS",
    "Level",
    "PrintedPage",
    "PrintedWord",
    "layer_words",
    "level_of",
    "may_head",
    "page_label",
    "printed_page",
    "spell_tex_fonts",
    "states_unit",
    "title_of",
    "with_struck_marked",
    "with_true_headings",
]

__getattr__ = late(
    __name__,
    {
        "printed_page": "setting",
        "WORD_FLAGS": "layer",
        "layer_words": "layer",
        "spell_tex_fonts": "tex_fonts",
        "with_struck_marked": "struck_words",
    },
)
