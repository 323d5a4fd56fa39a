"""Verify a text against the pixels in the boxes of its words.

A text layer says what a program put there, the page what a reader sees. Only the pixels show whether they agree: fonts
map glyphs to any character, and words are drawn over, cut off or not drawn. First each glyph is recognised by itself,
where the text says that it is, which takes little time; OCR reads the lines that are still in doubt.
"""

from indexing.parse.print_verification.comparison import mismatches, mismatches_by_line
from indexing.parse.print_verification.drawing import SIDE, Drawing, Ink, crop
from indexing.parse.print_verification.letters import NOTHING, PageGlyphs, kind_of, name_ligatures
from indexing.parse.print_verification.seen import seen_regions
