"""Verify a text against the pixels in the boxes of its words.

A text says what a program put there, the page what a reader sees. Nothing but the pixels tells if they agree: fonts
map glyphs to any character, and words are drawn over, cut off or left undrawn. First each glyph is looked at by itself,
where the text says that it stands, which takes little time; OCR reads the lines in which that leaves a doubt.
"""

from indexing.parse.likeness.bitmap_fonts import name_ligatures
from indexing.parse.likeness.comparison import unlike, unlike_lines
from indexing.parse.likeness.drawing import SIDE, Drawing, Ink, crop
from indexing.parse.likeness.letters import NOTHING, PageGlyphs, kind_of
from indexing.parse.likeness.seen import seen_regions
