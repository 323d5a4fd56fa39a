"""Bytes -> text: by the mark at their beginning, as UTF-8, else as the encoding that they look most like."""

from __future__ import annotations

import codecs
import contextlib
from pathlib import Path

from indexing import TooLarge, UnsupportedFile

MAX_TEXT_MB = 64
"""The most megabytes of a text; more would be tens of thousands of pages."""
SAMPLE = 65_536
"""The bytes by which an encoding is guessed."""
FEW = 24
"""The bytes beyond ASCII below which a guess is no better than the commonest encoding."""
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_text(path: Path) -> str:
    """Return the text of a file. Raises TooLarge, and UnsupportedFile where it is no text."""
    size = path.stat().st_size
    if size > MAX_TEXT_MB * 1024 * 1024:
        raise TooLarge(f"{path.name}: {size // 1024 // 1024} MB of text, the limit is {MAX_TEXT_MB} MB: split it")
    data = path.read_bytes()
    text = decode(data)
    if "\0" in text:
        raise UnsupportedFile(f"{path.name}: it contains zero bytes, so it is not text: save it as UTF-8 text")
    return text


def decode(data: bytes, charset: str = "") -> str:
    """Decode bytes by their byte order mark, in `charset`, as UTF-8, or in the likeliest encoding. Never raises."""
    for mark, name in MARKS:
        if data.startswith(mark):
            return data.decode(name, "replace")
    for name in (charset, "utf-8"):
        with contextlib.suppress(LookupError, ValueError):
            return data.decode(name)
    return data.decode(_guess_encoding(data), "replace")


def _guess_encoding(data: bytes) -> str:
    """Return the likeliest encoding of bytes, by those around the first one that is not ASCII."""
    from charset_normalizer import from_bytes

    if sum(byte > 127 for byte in data[:SAMPLE]) < FEW:
        return "cp1252"
    first = next((at for at, byte in enumerate(data) if byte > 127), 0)
    start = max(0, first - SAMPLE // 4)
    best = from_bytes(data[start : start + SAMPLE]).best()
    return best.encoding if best is not None else "latin-1"
