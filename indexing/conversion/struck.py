"""Struck out: text that a document has struck out says so wherever it is searched and quoted."""

from __future__ import annotations

BEGIN, END = "[struck out: ", "]"
"""What stands before struck-out text, and behind it."""


def struck_out(text: str) -> str:
    """Return a piece of running text as struck out; blanks are struck out by nobody."""
    return f"{BEGIN}{text.strip()}{END} " if text.strip() else text
