"""The values of a page as it is set: its words, each with its box, its size and its weight."""

from __future__ import annotations

from dataclasses import dataclass

from indexing.types import BBox, Source


@dataclass(frozen=True, slots=True)
class PrintedWord:
    """A word as it is set: `size` in points, `raised` above the line, `bold`; `line` is a number that its line shares.

    The words of a PDF line that continues behind a wide gap have another number. A raised number behind a word is a
    word of its own, and `joined` to the one before it: no blank stands between them.
    """

    text: str
    box: BBox
    size: float
    line: int
    bold: bool = False
    raised: bool = False
    joined: bool = False


@dataclass(frozen=True, slots=True)
class PrintedPage:
    """A page of `width` x `height` points with its words, in the order of the file or of the recognition."""

    number: int
    width: float
    height: float
    words: tuple[PrintedWord, ...]
    source: Source = "layer"
