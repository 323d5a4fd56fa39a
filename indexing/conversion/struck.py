"""Struck out: text that a document has struck out says so wherever it is searched and quoted."""

from __future__ import annotations

import re
from collections.abc import Sequence

BEGIN, END = "[struck out: ", "]"
"""What stands before struck-out text, and behind it."""


def struck_out(text: str) -> str:
    """Return a piece of running text as struck out; blanks are struck out by nobody."""
    return f"{BEGIN}{text.strip()}{END} " if text.strip() else text


def as_printed(words: Sequence[str]) -> tuple[list[str], set[int]]:
    """Return the words of a line as their page has them, and which of them, by their place, are struck out.

    >>> as_printed(["It", "costs", "[struck out: 5", "crowns]", "[3]"])
    (['It', 'costs', '5', 'crowns', '[3]'], {2, 3})
    """
    found: list[str] = []
    struck: set[int] = set()
    inside = False
    for n, word in enumerate(words):
        inside |= word.startswith(BEGIN)
        struck |= {n} if inside else set()
        ends = inside and word.endswith(END)
        found.append(word.removeprefix(BEGIN).removesuffix(END if ends else ""))
        inside &= not ends
    return found, struck


def without_struck(text: str) -> str:
    """Return a text with blanks in the place of what is struck out, and of the words that say so.

    >>> without_struck("It costs [struck out: 5] 7 crowns.")
    'It costs                 7 crowns.'
    """
    return _STRUCK.sub(lambda found: " " * len(found[0]), text) if BEGIN in text else text


_STRUCK = re.compile(rf"{re.escape(BEGIN)}[^\]]*+(?:{re.escape(END)})?+")
