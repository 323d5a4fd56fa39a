"""Make text from documents safe for a prompt: it cannot imitate a label, our own lines, or another turn of the chat.

A file's name, its text, its captions and a model's description of it are untrusted data. Every line of it is quoted, so
that unquoted lines are ours; text that looks like a marker or a token of a chat template is broken up; invisible
characters are removed. Checking and citing use the original.
"""

from __future__ import annotations

import re
import unicodedata

from indexing import Element

QUOTED = "| "
"""The opening of every line that is quoted from a document."""
_MARKER = re.compile(r"\[(?=\s*E\s*\d)", re.IGNORECASE)
_TURN = re.compile(r"<(?=[|/!\uff5cA-Za-z_])|\[(?=/?\w*[A-Z]{2}\w*\])")
"""The openings of `<|im_end|>`, `</s>`, `<start_of_turn>`, `<image>`, `[/INST]`, the tokens of chat templates."""
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn"}
_JOINERS = frozenset("\u200c\u200d")
"""The zero-width characters that Persian, Hindi and emoji need."""


def fenced(text: str) -> str:
    """Return the text with each line quoted, without blank lines; empty if it has no visible characters."""
    lines = (in_line(line) for line in text.splitlines())
    return "\n".join(f"{QUOTED}{line}" for line in lines if line)


def in_line(text: str) -> str:
    """Return the text on one line, with evidence markers and chat template tokens broken up."""
    return _TURN.sub(_apart, _MARKER.sub("(", visible(text)))


def around(element: Element) -> str:
    """Return the headings and the caption of an element on one line; `nothing` if it has none."""
    return in_line(" / ".join(p for p in (*element.section[-2:], element.caption) if p)) or "nothing"


def visible(text: str) -> str:
    """Return the text on one line, with white space collapsed and control, direction and tag characters removed."""
    chars = (" " if c.isspace() else c for c in text if c.isspace() or not _is_invisible(c))
    return " ".join("".join(chars).split())


def _apart(match: re.Match[str]) -> str:
    return match[0] + " "


def _is_invisible(char: str) -> bool:
    return char not in _JOINERS and unicodedata.category(char) in _INVISIBLE
