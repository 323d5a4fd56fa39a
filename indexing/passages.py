"""What of an element is embedded: its text, after the words that say what it is about."""

from __future__ import annotations

from indexing.types import Element

MAX_CONTEXT_CHARS = 80
"""About twelve tokens: context is embedded again with every element below it."""


def context(element: Element) -> str:
    """The caption and the nearest heading above, or nothing, ending in a newline."""
    parts = [p for p in (element.section[-1] if element.section else "", element.caption) if p]
    return " ".join(" ".join(parts).split())[:MAX_CONTEXT_CHARS] + "\n" if parts else ""


def passage(element: Element) -> str:
    """The text that is embedded: `context`, then the element's own text."""
    return context(element) + element.text
