"""Words with boxes -> running text with the span and the box of each word.

Lines are joined by a space; a word hyphenated at a line end is joined and keeps both boxes, and a compound that breaks
at a hyphen of its own keeps that hyphen; soft hyphens, control characters and ligature glyphs are normalised away, so
that a search for what a reader sees finds it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from indexing.parse.orientation import Frame
from indexing.types import BBox, Words

if TYPE_CHECKING:
    from indexing.parse.scan import Word

MIN_LAYER_CHARS = 20
"""The least characters in a page's text layer; a page with fewer is read by OCR, unless it shows nothing but them."""
_LIGATURE = re.compile("[\ufb00-\ufb06]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffe\uffff]")
_COMPOUND = re.compile("\\w+(?:[-\u2010]\\w+)*")
"""A word, or words with hyphens between them."""


def clean(token: str) -> str:
    """Return a word as a reader sees it: NFC, ligatures spelled out, invisible and control characters removed."""
    token = _LIGATURE.sub(lambda m: unicodedata.normalize("NFKC", m.group()), token)
    token = _INVISIBLE.sub("", unicodedata.normalize("NFC", token))
    return "".join(c for c in token if unicodedata.category(c) not in ("Cc", "Cs"))


def spellings(words: Iterable[Word]) -> frozenset[str]:
    """Return the words on a page, hyphenated compounds and their parts, in lower case, each hyphen as "-"."""
    compounds = {_normalise(compound) for word in words for compound in _COMPOUND.findall(clean(word.text))}
    return frozenset(compounds.union(*(compound.split("-") for compound in compounds)))


def _normalise(word: str) -> str:
    return word.lower().replace("\u2010", "-")


def lines_of(words: Iterable[Word]) -> list[list[Word]]:
    """Split words, given in content order, into visual lines: a PDF line that continues another is joined to it."""
    lines: list[list[Word]] = []
    for word in words:
        if lines and _continues(lines[-1], word):
            lines[-1].append(word)
        else:
            lines.append([word])
    return lines


def _continues(line: Sequence[Word], word: Word) -> bool:
    """Return True if a word is in the line of the others, or right of the last one at its height."""
    last = line[-1]
    if word.line == last.line:
        return True
    overlap = min(last.y1, word.y1) - max(last.y0, word.y0)
    return overlap > 0.5 * min(last.y1 - last.y0, word.y1 - word.y0) and word.x0 >= last.x1 - 1.0


class TextBuilder:
    """Builds a text from words, with their spans; `frame` turns their points into boxes of the displayed page."""

    def __init__(self, frame: Frame, lexicon: frozenset[str] = frozenset()) -> None:
        """Start with an empty text; `lexicon` are the `spellings` of the page, by which broken words are joined."""
        self.frame = frame
        self._lexicon = lexicon
        self._parts: list[str] = []
        self._length = 0
        self._spans: list[tuple[int, int]] = []
        self._boxes: list[BBox] = []
        self._lines: list[int] = []
        self._line = -1

    @property
    def length(self) -> int:
        """The number of characters so far."""
        return self._length

    def add(self, text: str) -> None:
        """Append text without a span: a separator, or a word whose span is added by `add_line`."""
        self._parts.append(text)
        self._length += len(text)

    def add_line(self, words: Sequence[Word]) -> None:
        """Append a line of words, joined to the text before it by a space or, after a hyphen, directly."""
        tokens = [(clean(w.text), w) for w in words]
        tokens = [(t, w) for t, w in tokens if t]
        if not tokens:
            return
        self._line += 1
        hyphenated = self._joins(tokens[0][0])
        for i, (token, word) in enumerate(tokens):
            if (i or not hyphenated) and self._parts and not self._parts[-1].endswith((" ", "\n")):
                self.add(" ")
            start = self._length
            self.add(token)
            box = self.frame.box(word.x0, word.y0, word.x1, word.y1)
            if box is not None:
                self._spans.append((start, self._length))
                self._boxes.append(box)
                self._lines.append(self._line)

    def _joins(self, token: str) -> bool:
        """Return True if `token` continues the last word, whose hyphen is removed unless it is that of a compound."""
        last = self._parts[-1] if self._parts else ""
        if not (len(last) > 1 and last[-1] in "-\u2010" and last[-2].islower() and token[0].islower()):
            return False
        if self._is_compound(last[:-1], token):
            return True
        self._parts[-1] = last[:-1]
        self._length -= 1
        if self._spans and self._spans[-1][1] == self._length + 1:
            self._spans[-1] = (self._spans[-1][0], self._length)
        return True

    def _is_compound(self, before: str, after: str) -> bool:
        """Return True when the hyphen at a line end belongs to the word, as in "four-in-" and "ten".

        A word that has hyphens has one more, unless the page has its broken part without ("well-estab-" and "lished",
        where there is "established"); any other has none, unless the page has it with a hyphen and only so.
        """
        head, tail = (_COMPOUND.findall(before) or [""])[-1], (_COMPOUND.findall(after) or [""])[0]
        whole, whole_part = _normalise(f"{head}-{tail}"), _normalise(head).rpartition("-")[2] + _normalise(tail)
        hyphenated, plain = whole in self._lexicon, whole_part in self._lexicon
        return hyphenated or not plain if "-" in _normalise(head) else hyphenated and not plain

    def result(self) -> tuple[str, Words]:
        """Return the text with the spans, boxes and lines of its words."""
        if not self._spans:
            return "".join(self._parts), Words.none()
        return "".join(self._parts), Words(
            np.array(self._spans, np.int32),
            np.array([b.as_tuple() for b in self._boxes], np.float32),
            np.array(self._lines, np.int32),
        )


def running_text(words: Iterable[Word], frame: Frame, lexicon: frozenset[str] = frozenset()) -> tuple[str, Words]:
    """Return the text of a paragraph, heading, list or picture with its words; `lexicon` as for `TextBuilder`."""
    builder = TextBuilder(frame, lexicon)
    for line in lines_of(words):
        builder.add_line(line)
    return builder.result()


def has_little_text(text: str) -> bool:
    """Return True if a text layer has too few characters, or more than 30 % that are unknown or invisible."""
    return len(text) - count_unusable(text) < MIN_LAYER_CHARS or count_unusable(text) > 0.3 * len(text)


def count_unusable(text: str) -> int:
    """Return how many characters of a text are unknown (U+FFFD) or invisible."""
    return sum(1 for c in text if c == "\ufffd" or not clean(c))
