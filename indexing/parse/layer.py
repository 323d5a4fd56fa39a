"""Layer: the words of a page's text layer, what stands raised in them spelled raised.

MuPDF gives them in line with the others; what stands raised is told by its size and its base line.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pymupdf

from indexing.parse.scan import Word, share
from indexing.superscript import to_superscript

WORD_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
"""The flags with which words are taken from a page."""
SMALL, LEAST_RISE, MOST_RISE = 0.85, 0.15, 0.8
"""The size of raised signs beside the largest of their line, at most, and how far above its base line they stand."""
SAME = 0.5
"""The overlap from which two words that say the same are one."""
_PAINTED = pymupdf.mupdf.FZ_STEXT_FILLED | pymupdf.mupdf.FZ_STEXT_STROKED
_NO_LETTERS = frozenset((*map(chr, range(33)), "\u00a0", *map(chr, range(0x202A, 0x202F))))
"""The characters that MuPDF ends a word at."""
Lines = dict[tuple[int, int], list[Word]]
Place = tuple[int, str]
"""The number of a block of text, and the letters of a line in it."""


def layer_words(page: pymupdf.Page) -> list[Word]:
    """Return the words of the text layer: as /ActualText has them, if that is but a better spelling of the glyphs.

    Raised digits are Unicode's, as are raised letters behind a digit that no ordinal ends with.
    """
    said = _lines(page, WORD_FLAGS)
    drawn = _lines(page, WORD_FLAGS | pymupdf.TEXT_IGNORE_ACTUALTEXT)
    better = _signs(said) == _signs(drawn) or _count_unknown(drawn) > _count_unknown(said)
    lines, flags = (said, WORD_FLAGS) if better else (drawn, WORD_FLAGS | pymupdf.TEXT_IGNORE_ACTUALTEXT)
    figures = any(map(str.isdigit, _signs(lines)))  # without one, nothing is spelled raised
    above = _raised_lines(page, flags) if figures else {}
    found: list[Word] = []
    for (block, _), words in lines.items():
        spelled = above.get((block, "".join(word.text for word in words)))
        found += _with_letters(words, spelled.pop(0)) if spelled else words
    return _printed_once(found)


def _printed_once(words: Sequence[Word]) -> list[Word]:
    """Return words without those that are printed on themselves again, as for bold letters or a shadow."""
    once: list[Word] = []
    by_text: dict[str, list[Word]] = defaultdict(list)
    for word in words:
        box = word.x0, word.y0, word.x1, word.y1
        if not any(share(box, (w.x0, w.y0, w.x1, w.y1)) > SAME for w in by_text[word.text]):
            by_text[word.text].append(word)
            once.append(word)
    return once


def _lines(page: pymupdf.Page, flags: int) -> Lines:
    """Return the words of each line, by the numbers of its block and of itself."""
    lines: Lines = {}
    for x0, y0, x1, y1, text, block, line, _ in page.get_text("words", flags=flags):
        words = lines.setdefault((block, line), [])
        if x1 > x0 and y1 > y0:
            words.append(Word(x0, y0, x1, y1, text, len(lines) - 1))
    return lines


def _with_letters(words: Sequence[Word], letters: str) -> Iterator[Word]:
    at = 0
    for word in words:
        yield replace(word, text=letters[at : at + len(word.text)])
        at += len(word.text)


def _raised_lines(page: pymupdf.Page, flags: int) -> dict[Place, list[str]]:
    """Return all lines, by their letters as they are read, with raised signs: of lines that read alike one for each."""
    by_letters: dict[Place, list[str]] = defaultdict(list)
    for block in page.get_text("dict", flags=flags)["blocks"]:
        for line in block.get("lines", ()):
            plain = "".join(span["text"] for span in line["spans"])
            spelled = "".join(_spans_spelled(line)) if line["dir"] == (1.0, 0.0) else plain
            by_letters[block["number"], _letters(plain)].append(_letters(spelled))
    return by_letters


def _letters(text: str) -> str:
    return "".join(c for c in text if c not in _NO_LETTERS)


def _spans_spelled(line: dict[str, Any]) -> Iterator[str]:
    """Yield the text of each span of a line, raised where it stands so."""
    before = ""
    for span, above in zip(line["spans"], standing_above(line), strict=True):
        yield to_superscript(span["text"], before) if above else span["text"]
        before = span["text"] or before


def standing_above(line: dict[str, Any]) -> list[bool]:
    """Return for each span of MuPDF's line if it is small and stands above; places of an invisible layer say nothing.

    MuPDF's own flag is no help: it compares with the first sign of the line, which may be the raised one.
    """
    size, base = max(((span["size"], span["origin"][1]) for span in line["spans"]), default=(0.0, 0.0))
    return [
        span["size"] <= SMALL * size
        and LEAST_RISE * size <= base - span["origin"][1] <= MOST_RISE * size
        and bool(span["alpha"] and span["char_flags"] & _PAINTED)
        for span in line["spans"]
    ]


def _signs(lines: Lines) -> str:
    """Return the letters and digits of lines, without case: small capitals are spelled small or large."""
    text = "".join(word.text for words in lines.values() for word in words)
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _count_unknown(lines: Lines) -> int:
    return sum(word.text.count("\ufffd") for words in lines.values() for word in words)
