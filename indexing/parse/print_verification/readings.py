"""Readings: what OCR read of a line, compared with its words."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

import numpy as np

from indexing.parse.scan import alphabet

MOST_CHARS = 200
"""The most characters of a piece of a line."""
LONG = 5
"""The least letters of a word that may differ in one of them: OCR errs so often that it would accuse honest pages."""
_ALIKE = str.maketrans({"o": "0", "l": "1", "i": "1", "|": "1", "s": "5", "m": "rn", "w": "vv"})
"""The characters that OCR takes for one another; no digit becomes another digit."""
Opcode = tuple[str, int, int, int, int]


def fold_letters(text: str) -> tuple[str, list[int]]:
    """Return the letters and digits of a text, those that OCR confuses as one, and the index of each in the text.

    Points and commas between digits count, as one sign. Runs of spaces must be one space.
    """
    letters: list[str] = []
    indices: list[int] = []
    stop = -1
    for index, sign in enumerate(text):
        if sign in ".,\u00b7":
            stop = index if letters and indices[-1] == index - 1 and letters[-1].isdigit() else -1
        for plain in unicodedata.normalize("NFKD", sign).casefold().translate(_ALIKE):
            if plain.isalnum():
                if stop >= index - 2 and stop >= 0 and plain.isdigit():
                    letters.append(".")
                    indices.append(stop)
                stop = -1
                letters.append(plain)
                indices.append(index)
    return "".join(letters), indices


def differences(words: Sequence[str], reading: str) -> dict[int, str]:
    """Return, by word number, what OCR read for those words of a line that its `reading` shows otherwise.

    The number is n for word n, -1 - n for a further word before it. Further words at either end are of other lines.
    """
    reading = " ".join(reading.split())
    folded_line, line_indices = fold_letters(" ".join(words))
    if len(folded_line) > 2 * MOST_CHARS:
        return dict.fromkeys(range(len(words)), reading)  # no line of print has as many
    folded_reading, indices = fold_letters(reading)
    word_starts = np.cumsum([0, *(len(word) + 1 for word in words)])
    starts: list[int] = np.searchsorted(line_indices, word_starts[:-1]).tolist()
    ends: list[int] = np.searchsorted(line_indices, word_starts[1:]).tolist()
    by_word: dict[int, str] = {}
    opcodes = SequenceMatcher(None, folded_line, folded_reading, autojunk=False).get_opcodes()
    for tag, i1, i2, j1, j2 in opcodes:
        if tag == "equal":
            continue
        insertion = reading[indices[j1] : indices[j2 - 1] + 1] if j2 > j1 else ""
        if tag == "insert" and i1 in (0, len(folded_line)):
            at = indices[j2 - 1] + 1 if i1 == 0 else indices[j1] - 1
            if 0 <= at < len(reading) and reading[at].isalnum():
                by_word[0 if i1 == 0 else len(words) - 1] = reading
        elif tag == "insert" and i1 in starts:
            if len(insertion) > 1 or insertion.isdigit():
                by_word[-1 - starts.index(i1)] = insertion
        else:
            for n, (start, end) in enumerate(zip(starts, ends, strict=True)):
                if start < max(i2, i1 + 1) and i1 < end:
                    by_word[n] = _reading_of_word(reading, indices, opcodes, start, end)
    return by_word


def _reading_of_word(reading: str, indices: Sequence[int], opcodes: Sequence[Opcode], start: int, end: int) -> str:
    """Return the part of a `reading` that was read for a word: characters `start` to `end` of its folded line.

    `opcodes` align the folded line with the folded reading, whose characters are at `indices` of the reading.
    """
    # Of each opcode that meets the word: from where to where in it, its length, and its part of the folded reading.
    parts = [(max(start, i1) - i1, min(end, i2) - i1, i2 - i1, j1, j2) for _, i1, i2, j1, j2 in opcodes
               if (i1 < end and i2 > start) or (i1 == i2 and start < i1 < end)]  # fmt: skip
    spans = [(j1 + a if b - a < n else j1, j1 + b if b < n else j2) for a, b, n, j1, j2 in parts if j2 > j1]
    spans = [(a, min(b, len(indices))) for a, b in spans if a < min(b, len(indices))]
    return reading[indices[spans[0][0]] : indices[spans[-1][1] - 1] + 1] if spans else ""


def is_misread(word: str, readings: Sequence[str]) -> bool:
    """Return True if the readings of a word can be OCR errors: it has no digits, and one of them is close to it.

    A long word may differ in one letter; any word in a third of its letters, if no two readings agree.
    """
    letters = fold_letters(word)[0]
    if any(c.isdigit() for c in word):
        return False
    folded_readings = [fold_letters(reading)[0] for reading in readings]
    most = max(1 if len(letters) >= LONG else 0, 0 if readings_agree(readings) else math.ceil(len(letters) / 3))
    return any(_edits(letters, other) <= most for other in folded_readings)


def readings_agree(readings: Sequence[str]) -> bool:
    """Return True if two readings have the same letters."""
    return max(Counter(filter(None, (fold_letters(reading)[0] for reading in readings))).values(), default=0) > 1


def _edits(one: str, other: str) -> int:
    """Return an upper bound of the edit distance of two texts."""
    opcodes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return sum(max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in opcodes if tag != "equal")


@lru_cache(maxsize=4096)
def readable(word: str) -> bool:
    """Return True if OCR can recognise all letters and digits of a word."""
    plain = unicodedata.normalize("NFKD", word)
    if len(word) == 1 and not word.isascii():
        return False  # the signs of symbol fonts have letters for names
    return all(c in alphabet() for c in plain if c.isalnum())
