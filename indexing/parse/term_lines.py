"""Lines that name a term, or an option of a command, with the text that explains it set in below.

"--jobs=N [default: 2]" or "HISTSIZE" alone in a line is an item of a list, or text, to a layout model, and what stands
below says nothing of the term by name.
"""

from __future__ import annotations

import re

import numpy as np

from indexing.hints import option_named
from indexing.types import Element

MAX_HEADING_CHARS = 120
"""The most characters of a heading that has a section of its own."""
MOST_WORDS, OPTION_WORDS = 8, 14
"""The most words of a line that names a term, and of one that names an option, with its values."""
LEAST_WORDS = 5
"""The least words of an explanation, which ends like a sentence."""
INDENT, WIDEST = 0.02, 0.12
"""The least and the most share of the page's width by which an explanation is set in below its term."""
GAP = 1.5
"""The most space between a term and its explanation, in heights of its letters."""
LARGER = 1.15
"""The height of a term's letters in units of its explanation's from which it is the heading of a section."""
_ITEM = re.compile(r"(?:[^\w\s!]|\w[.)])\s")
"""The sign, letter or digit that begins an item of a list."""
_ENDS = (".", ";", "!", "?", ":", ",")
_STOPS = (".", "!", "?", ":")


def heads_term(line: Element, below: Element) -> bool:
    """Return True if `line` names a term, or an option, that `below` explains: a text set in right under it.

    The line is alone, is set no larger than the text, and does not end like a sentence.
    """
    height, body = letter_height(line), letter_height(below)
    if not _may_be_term(line) or not height or not body or height > LARGER * body:
        return False
    if line.bbox.y1 - line.bbox.y0 >= 2 * height or not INDENT <= below.bbox.x0 - line.bbox.x0 <= WIDEST:
        return False
    if not (line.bbox.y0 + line.bbox.y1) / 2 <= below.bbox.y0 <= line.bbox.y1 + GAP * height:
        return False
    return _explains(below, option=bool(option_named(line.text)))


def _may_be_term(element: Element) -> bool:
    """Return True if an element can be a line that names a term or an option: few words, and no sentence."""
    text = element.text.rstrip()
    if element.kind not in ("text", "list", "heading") or len(element.text) > MAX_HEADING_CHARS:
        return False
    if not any(map(str.isalpha, text)) or _ITEM.match(text):
        return False
    words = len(text.split())
    if option_named(text):
        return words <= OPTION_WORDS and (text.endswith("...") or not text.endswith(_ENDS))
    return words <= MOST_WORDS and not text.endswith(_ENDS)


def _explains(element: Element, *, option: bool) -> bool:
    """Return True if a text can explain a term: it is a sentence. List items can explain an option too."""
    if option:
        return element.kind in ("text", "list")
    text = element.text.rstrip()
    return element.kind == "text" and len(text.split()) >= LEAST_WORDS and text.endswith(_STOPS)


def letter_height(element: Element) -> float:
    """Return the median height of the words of an element, as a share of the page's; 0 without words."""
    boxes = element.words.boxes
    return float(np.median(boxes[:, 3] - boxes[:, 1])) if len(boxes) else 0.0
