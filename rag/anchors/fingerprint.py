"""Find a quote by its fingerprint in a page that was parsed again, without storing its words.

Differences between two parses of the same page do not count: white space, line ends, letter case, typographic
quotation marks and dashes, ligatures, soft hyphens, the bars between table cells. Everything that changes the meaning
counts: every letter, digit, sign and decimal point, and the gap between two numbers.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from indexing import BBox, Element

_ALIKE = str.maketrans({
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u00b4`", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
})  # fmt: skip
_GAP = re.compile(r"[\s|]")
Spans = tuple[tuple[int, tuple[int, int]], ...]
_CJK = "\u2e80"
"""The first of the scripts that write words without spaces between them; those after it do too."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A quote that was found in `elements`, in reading order, at the characters `spans` of each one's text."""

    elements: tuple[Element, ...]
    spans: tuple[tuple[int, int], ...]

    @property
    def boxes(self) -> tuple[BBox, ...]:
        """One box a line, in fractions of the displayed page."""
        pairs = zip(self.elements, self.spans, strict=True)
        return tuple(box for e, (start, end) in pairs for box in e.words.line_boxes(start, end))

    @property
    def bbox(self) -> BBox:
        """The box around the lines, or around the elements where no word has a place."""
        return BBox.union(self.boxes or [e.bbox for e in self.elements])

    @property
    def quote(self) -> str:
        """The quoted text as the page has it now."""
        return " ".join(e.text[a:b] for e, (a, b) in zip(self.elements, self.spans, strict=True))


def fingerprint(quote: str) -> tuple[int, str]:
    """Return (length, digest) of a quote's comparable text: its characters, 24 hex digits; (0, "") if it is empty."""
    text = comparable_text(quote)
    return (len(text), _digest(text)) if text else (0, "")


def comparable_text(text: str) -> str:
    """Return the characters of a text that matter in a comparison, without what two parses may write differently."""
    return _Plain.of([text]).text


def find_quote(elements: Sequence[Element], length: int, digest: str) -> tuple[Occurrence, ...]:
    """Find every complete occurrence of a quote, given by its fingerprint, in the elements of a page in reading order.

    Each element is searched, groups too; if none contains the quote, the search goes across consecutive elements. Only
    complete numbers match: 5% is not found in 2.5%.
    """
    if length < 1:
        return ()
    inside = [place for element in elements for place in _find([element], length, digest)]
    return tuple(inside) or tuple(_find([e for e in elements if e.kind != "group"], length, digest))


def _find(elements: Sequence[Element], length: int, digest: str) -> Iterator[Occurrence]:
    """Yield the occurrences of a quote, by its fingerprint, in the joined texts of some elements."""
    for spans in _Plain.of([e.text for e in elements]).occurrences(length, digest):
        yield Occurrence(tuple(elements[i] for i, _ in spans), tuple(span for _, span in spans))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    """Return the comparable form of a character: none, one, or several characters (the ligature fi is two)."""
    plain = unicodedata.normalize("NFKD", char.translate(_ALIKE)).casefold()
    return "".join(c for c in plain if not c.isspace() and unicodedata.category(c) not in ("Cc", "Cf"))


@dataclass(frozen=True, slots=True)
class _Plain:
    """The comparable characters of several texts joined, and for each its origin (index of text, of character)."""

    texts: Sequence[str]
    text: str
    origins: Sequence[tuple[int, int]]

    @classmethod
    def of(cls, texts: Sequence[str]) -> _Plain:
        """Fold and join texts. Two digits with white space between them keep one space: 1 and 23 are not 12 and 3."""
        plain: list[str] = []
        origins: list[tuple[int, int]] = []
        for number, text in enumerate(texts):
            gap = bool(plain)
            for at, char in enumerate(text):
                if char.isspace() or char == "|":
                    gap = True
                    continue
                for part in _fold_char(char):
                    if gap and part.isdigit() and plain and plain[-1].isdigit():
                        plain.append(" ")
                        origins.append((number, at))
                    gap = False
                    plain.append(part)
                    origins.append((number, at))
        return cls(texts, "".join(plain), origins)

    def occurrences(self, length: int, digest: str) -> Iterator[Spans]:
        """Yield the spans of each window of `length` characters with that digest that cuts no word or number."""
        end = len(self.text)
        cuts = [at in (0, end) or not self._inside_word(at) for at in range(end + 1)] if length <= end else []
        for start in range(len(cuts) - length):
            if cuts[start] and cuts[start + length] and _digest(self.text[start : start + length]) == digest:
                yield self._spans(start, start + length)

    def _inside_word(self, at: int) -> bool:
        """Return True if character `at` continues a word or a number."""
        (text, a), (other, b) = self.origins[at - 1], self.origins[at]
        if text != other or (b > a + 1 and _GAP.search(self.texts[text], a + 1, b)):
            return False
        before, after = self.text[at - 1], self.text[at]
        if _in_word(before) and _in_word(after):
            return max(before, after) < _CJK
        if after.isdigit():
            return before == "-" or (before in ".,/" and self.texts[text][max(0, a - 1)].isdigit())
        return before.isdigit() and (after == "%" or (after in ".,/" and self.texts[text][b + 1 : b + 2].isdigit()))

    def _spans(self, start: int, end: int) -> Spans:
        """Return the range [start, end) of `text` as (index of text, (from, to)) for each original text."""
        spans: dict[int, tuple[int, int]] = {}
        for text, at in self.origins[start:end]:
            spans[text] = (spans.get(text, (at, at))[0], at + 1)
        return tuple(spans.items())


def _in_word(char: str) -> bool:
    return char.isalnum() or unicodedata.combining(char) > 0
