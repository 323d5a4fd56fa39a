"""Strikethrough: mark text that a document has struck out, wherever it is searched and quoted."""

from __future__ import annotations

import re
from collections.abc import Sequence

STRUCK_BEGIN, STRUCK_END = "[struck out: ", "]"
"""The marks before and after struck-out text."""


def struck_out(text: str) -> str:
    """Return text with the marks of struck-out text and a blank; blanks are returned unchanged."""
    return f"{STRUCK_BEGIN}{text.strip()}{STRUCK_END} " if text.strip() else text


def as_printed(words: Sequence[str]) -> tuple[list[str], set[int]]:
    """Return the words of a line without the marks, and the indices of those that are struck out.

    >>> as_printed(["It", "costs", "[struck out: 5", "crowns]", "[3]"])
    (['It', 'costs', '5', 'crowns', '[3]'], {2, 3})
    """
    printed_words: list[str] = []
    struck_indices: set[int] = set()
    inside = False
    for n, word in enumerate(words):
        inside |= word.startswith(STRUCK_BEGIN)
        struck_indices |= {n} if inside else set()
        ends = inside and word.endswith(STRUCK_END)
        printed_words.append(word.removeprefix(STRUCK_BEGIN).removesuffix(STRUCK_END if ends else ""))
        inside &= not ends
    return printed_words, struck_indices


def without_struck(text: str) -> str:
    """Return a text of the same length with blanks for struck-out text and its marks.

    >>> without_struck("It costs [struck out: 5] 7 crowns.")
    'It costs                 7 crowns.'
    """
    return _STRUCK.sub(lambda match: " " * len(match[0]), text) if STRUCK_BEGIN in text else text


_STRUCK = re.compile(rf"{re.escape(STRUCK_BEGIN)}[^\]]*+(?:{re.escape(STRUCK_END)})?+")
