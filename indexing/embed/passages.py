"""The text of an element that is embedded: its own, after the heading above it and its caption."""

from __future__ import annotations

from indexing.types import Element

MAX_CONTEXT_CHARS = 80
"""The most characters of context, about twelve tokens: it is embedded again with every element below it."""
MAX_CAPTION_CHARS = 400
"""The most characters of the caption of a whole image, which is embedded once and is all there is to find it by."""


def context(element: Element) -> str:
    """Return the nearest heading above and the caption, cut and with a newline; "" if the element has neither."""
    texts = [p for p in (element.section[-1] if element.section else "", element.caption) if p]
    most = MAX_CAPTION_CHARS if element.whole_image else MAX_CONTEXT_CHARS
    return " ".join(" ".join(texts).split())[:most] + "\n" if texts else ""


def passage(element: Element) -> str:
    """Return the text that is embedded: `context`, then the element's own text."""
    return context(element) + element.text
