"""Struck out: text that a document has struck out says so wherever it is searched and quoted."""

from __future__ import annotations

import re

BEGIN, END = "[struck out: ", "]"
"""What stands before struck-out text, and behind it."""


def struck_out(text: str) -> str:
    """Return a piece of running text as struck out; blanks are struck out by nobody."""
    return f"{BEGIN}{text.strip()}{END} " if text.strip() else text


def without_struck(text: str) -> str:
    """Return a text with blanks in the place of what is struck out, and of the words that say so.

    >>> without_struck("It costs [struck out: 5] 7 crowns.")
    'It costs                 7 crowns.'
    """
    return _STRUCK.sub(lambda found: " " * len(found[0]), text) if BEGIN in text else text


_STRUCK = re.compile(rf"{re.escape(BEGIN)}[^\]]*+(?:{re.escape(END)})?+")
