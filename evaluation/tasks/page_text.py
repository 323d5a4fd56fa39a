"""Whether the text layers of pages say something."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

MIN_CHARS = 20
"""The least readable characters of a text layer; one with fewer counts as none, as in indexing."""


def with_layer(path: Path, numbers: Set[int]) -> Set[int] | None:
    """Return those pages (from 1) of a file whose text layer says something; None where it cannot be read."""
    import pymupdf  # brings ONNX Runtime in, which must find the environment as `indexing` sets it

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        with pymupdf.open(path) as document:
            return {n for n in numbers if 0 < n <= document.page_count and readable(document[n - 1].get_text())}
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):  # ValueError: it is encrypted
        return None


def readable(layer: str) -> bool:
    """Return True if a text layer says something: enough characters, most of which stand for a letter."""
    visible = "".join(layer.split())
    unknown = visible.count("\ufffd")
    return len(visible) - unknown >= MIN_CHARS and unknown <= 0.3 * len(visible)
