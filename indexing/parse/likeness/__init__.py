"""Verify a text against the pixels in the boxes of its words.

A text says what a program put there, the page what a reader sees. Nothing but the pixels tells if they agree: fonts
map glyphs to any character, and words are drawn over, cut off or left undrawn. First each glyph is looked at by itself,
where the text says that it stands, which takes little time; OCR reads the lines in which that leaves a doubt.
"""

from indexing.parse.likeness.comparison import unlike, unlike_lines
from indexing.parse.likeness.crops import SIDE, Ink, crop, glyph_crops, ink_of
from indexing.parse.likeness.drawing import Drawing
from indexing.parse.likeness.glyphs import PageGlyphs
from indexing.parse.likeness.letter_network import NOTHING, POINT, SIGN, LetterNetwork, kind_of, letter_network
from indexing.parse.likeness.readings import differences, fold_letters
from indexing.parse.likeness.seen import seen_regions

__all__ = [
    "NOTHING",
    "POINT",
    "SIDE",
    "SIGN",
    "Drawing",
    "Ink",
    "LetterNetwork",
    "PageGlyphs",
    "crop",
    "differences",
    "fold_letters",
    "glyph_crops",
    "ink_of",
    "kind_of",
    "letter_network",
    "seen_regions",
    "unlike",
    "unlike_lines",
]
