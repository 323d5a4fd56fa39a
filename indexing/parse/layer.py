"""Layer: the words of a page's text layer, with superscripts as Unicode characters.

MuPDF returns superscripts in line with the other characters; they are recognised by their size and base line.
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
LineKey = tuple[int, str]
"""The number of a block of text, and the letters of a line in it."""


def layer_words(page: pymupdf.Page) -> list[Word]:
    """Return the words of the text layer; /ActualText replaces the glyphs' characters if it only spells them better.

    Raised digits become Unicode's superscripts, as do raised letters behind a digit, except for those of ordinals.
    """
    actual = _lines(page, WORD_FLAGS)
    plain = _lines(page, WORD_FLAGS | pymupdf.TEXT_IGNORE_ACTUALTEXT)
    better = _folded_letters(actual) == _folded_letters(plain) or _count_unknown(plain) > _count_unknown(actual)
    lines, flags = (actual, WORD_FLAGS) if better else (plain, WORD_FLAGS | pymupdf.TEXT_IGNORE_ACTUALTEXT)
    has_digits = any(map(str.isdigit, _folded_letters(lines)))  # without one, nothing is spelled raised
    superscripts = _lines_with_superscripts(page, flags) if has_digits else {}
    result: list[Word] = []
    for (block, _), words in lines.items():
        forms = superscripts.get((block, "".join(word.text for word in words)))
        result += _with_characters(words, forms.pop(0)) if forms else words
    return _printed_once(result)


def _printed_once(words: Sequence[Word]) -> list[Word]:
    """Return words without repeats of a text in the same place, which draw bold letters or a shadow."""
    unique: list[Word] = []
    by_text: dict[str, list[Word]] = defaultdict(list)
    for word in words:
        box = word.x0, word.y0, word.x1, word.y1
        if not any(share(box, (w.x0, w.y0, w.x1, w.y1)) > SAME for w in by_text[word.text]):
            by_text[word.text].append(word)
            unique.append(word)
    return unique


def _lines(page: pymupdf.Page, flags: int) -> Lines:
    """Return the words of each line, by the numbers of its block and of the line."""
    lines: Lines = {}
    for x0, y0, x1, y1, text, block, line, _ in page.get_text("words", flags=flags):
        words = lines.setdefault((block, line), [])
        if x1 > x0 and y1 > y0:
            words.append(Word(x0, y0, x1, y1, text, len(lines) - 1))
    return lines


def _with_characters(words: Sequence[Word], letters: str) -> Iterator[Word]:
    """Yield words whose texts are replaced, in order, by as many of `letters` as each has."""
    at = 0
    for word in words:
        yield replace(word, text=letters[at : at + len(word.text)])
        at += len(word.text)


def _lines_with_superscripts(page: pymupdf.Page, flags: int) -> dict[LineKey, list[str]]:
    """Return the letters of each line with superscripts, by block and plain letters: those of equal lines in order."""
    by_letters: dict[LineKey, list[str]] = defaultdict(list)
    for block in page.get_text("dict", flags=flags)["blocks"]:
        for line in block.get("lines", ()):
            plain = "".join(span["text"] for span in line["spans"])
            spelling = "".join(_superscript_spans(line)) if line["dir"] == (1.0, 0.0) else plain
            by_letters[block["number"], _without_separators(plain)].append(_without_separators(spelling))
    return by_letters


def _without_separators(text: str) -> str:
    return "".join(c for c in text if c not in _NO_LETTERS)


def _superscript_spans(line: dict[str, Any]) -> Iterator[str]:
    """Yield the text of each span of a line, as superscripts where the span is raised."""
    before = ""
    for span, is_raised in zip(line["spans"], raised_spans(line), strict=True):
        yield to_superscript(span["text"], before) if is_raised else span["text"]
        before = span["text"] or before


def raised_spans(line: dict[str, Any]) -> list[bool]:
    """Return for each span of MuPDF's line if it is raised: small, and above the base line. Invisible spans never are.

    MuPDF's own flag is no help: it compares with the first sign of the line, which may be the raised one.
    """
    size, base = max(((span["size"], span["origin"][1]) for span in line["spans"]), default=(0.0, 0.0))
    return [
        span["size"] <= SMALL * size
        and LEAST_RISE * size <= base - span["origin"][1] <= MOST_RISE * size
        and bool(span["alpha"] and span["char_flags"] & _PAINTED)
        for span in line["spans"]
    ]


def _folded_letters(lines: Lines) -> str:
    """Return the letters and digits of lines, without case: small capitals are spelled small or large."""
    text = "".join(word.text for words in lines.values() for word in words)
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _count_unknown(lines: Lines) -> int:
    return sum(word.text.count("\ufffd") for words in lines.values() for word in words)
