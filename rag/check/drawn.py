"""Whether an element has to be looked at: its text says nothing of it, or not all."""

from __future__ import annotations

from indexing import Element


def is_drawn(element: Element) -> bool:
    """Whether what an element says is not, or not only, in its text: checking then asks about its picture."""
    return element.kind in ("picture", "group") or not element.text.strip()
