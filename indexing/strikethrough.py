"""Strikethrough: text that a document has struck out says so wherever it is searched and quoted."""

from __future__ import annotations

import re
from collections.abc import Sequence

STRUCK_BEGIN, STRUCK_END = "[struck out: ", "]"
"""What stands before struck-out text, and behind it."""


def struck_out(text: str) -> str:
    """Return a piece of running text as struck out; blanks are struck out by nobody."""
    return f"{STRUCK_BEGIN}{text.strip()}{STRUCK_END} " if text.strip() else text


def as_printed(words: Sequence[str]) -> tuple[list[str], set[int]]:
    """Return the words of a line as their page has them, and which of them, by their place, are struck out.

    >>> as_printed(["It", "costs", "[struck out: 5", "crowns]", "[3]"])
    (['It', 'costs', '5', 'crowns', '[3]'], {2, 3})
    """
    found: list[str] = []
    struck: set[int] = set()
    inside = False
    for n, word in enumerate(words):
        inside |= word.startswith(STRUCK_BEGIN)
        struck |= {n} if inside else set()
        ends = inside and word.endswith(STRUCK_END)
        found.append(word.removeprefix(STRUCK_BEGIN).removesuffix(STRUCK_END if ends else ""))
        inside &= not ends
    return found, struck


def without_struck(text: str) -> str:
    """Return a text with blanks in the place of what is struck out, and of the words that say so.

    >>> without_struck("It costs [struck out: 5] 7 crowns.")
    'It costs                 7 crowns.'
    """
    return _STRUCK.sub(lambda found: " " * len(found[0]), text) if STRUCK_BEGIN in text else text


_STRUCK = re.compile(rf"{re.escape(STRUCK_BEGIN)}[^\]]*+(?:{re.escape(STRUCK_END)})?+")
