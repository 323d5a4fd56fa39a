"""Readings: what OCR read of a line, held against its words."""

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


def fold_letters(text: str) -> tuple[str, list[int]]:
    """Return the letters and digits of a text, those that look alike as one, and the place of each in the text.

    Points and commas between digits count, as one sign. Runs of spaces must be one space.
    """
    letters: list[str] = []
    places: list[int] = []
    stop = -1
    for at, sign in enumerate(text):
        if sign in ".,\u00b7":
            stop = at if letters and places[-1] == at - 1 and letters[-1].isdigit() else -1
        for plain in unicodedata.normalize("NFKD", sign).casefold().translate(_ALIKE):
            if plain.isalnum():
                if stop >= at - 2 and stop >= 0 and plain.isdigit():
                    letters.append(".")
                    places.append(stop)
                stop = -1
                letters.append(plain)
                places.append(at)
    return "".join(letters), places


def differences(words: Sequence[str], reading: str) -> dict[int, str]:
    """Return the places at which a reading of a line differs from its words, each with the piece that is read there.

    The key is n for word n, -1 - n for a word more before word n. More at either end belongs to the neighbours.
    """
    reading = " ".join(reading.split())
    whole, origins = fold_letters(" ".join(words))
    if len(whole) > 2 * MOST_CHARS:
        return dict.fromkeys(range(len(words)), reading)  # no line of print has as many
    letters, places = fold_letters(reading)
    opens = np.cumsum([0, *(len(word) + 1 for word in words)])
    starts: list[int] = np.searchsorted(origins, opens[:-1]).tolist()
    ends: list[int] = np.searchsorted(origins, opens[1:]).tolist()
    by_word: dict[int, str] = {}
    codes = SequenceMatcher(None, whole, letters, autojunk=False).get_opcodes()
    for tag, i1, i2, j1, j2 in codes:
        if tag == "equal":
            continue
        extra = reading[places[j1] : places[j2 - 1] + 1] if j2 > j1 else ""
        if tag == "insert" and i1 in (0, len(whole)):
            at = places[j2 - 1] + 1 if i1 == 0 else places[j1] - 1
            if 0 <= at < len(reading) and reading[at].isalnum():
                by_word[0 if i1 == 0 else len(words) - 1] = reading
        elif tag == "insert" and i1 in starts:
            if len(extra) > 1 or extra.isdigit():
                by_word[-1 - starts.index(i1)] = extra
        else:
            for n, (start, end) in enumerate(zip(starts, ends, strict=True)):
                if start < max(i2, i1 + 1) and i1 < end:
                    by_word[n] = _piece(reading, places, codes, start, end)
    return by_word


def _piece(
    reading: str, places: Sequence[int], codes: Sequence[tuple[str, int, int, int, int]], start: int, end: int
) -> str:
    """Return the piece of a reading in which the characters from `start` to `end` are."""
    own = [(max(start, i1) - i1, min(end, i2) - i1, i2 - i1, j1, j2) for _, i1, i2, j1, j2 in codes
           if (i1 < end and i2 > start) or (i1 == i2 and start < i1 < end)]  # fmt: skip
    spans = [(j1 + a if b - a < n else j1, j1 + b if b < n else j2) for a, b, n, j1, j2 in own if j2 > j1]
    spans = [(a, min(b, len(places))) for a, b in spans if a < min(b, len(places))]
    return reading[places[spans[0][0]] : places[spans[-1][1] - 1] + 1] if spans else ""


def misread(word: str, seen: Sequence[str]) -> bool:
    """Return True if the readings of a word without digits can be errors of OCR: one is near it.

    Of a long word one letter may differ; of any word a third, where no two looks agree on what is there.
    """
    letters = fold_letters(word)[0]
    if any(c.isdigit() for c in word):
        return False
    readings = [fold_letters(shown)[0] for shown in seen]
    most = max(1 if len(letters) >= LONG else 0, 0 if readings_agree(seen) else math.ceil(len(letters) / 3))
    return any(_edits(letters, other) <= most for other in readings)


def readings_agree(seen: Sequence[str]) -> bool:
    """Return True if two looks read the same letters."""
    return max(Counter(filter(None, (fold_letters(shown)[0] for shown in seen))).values(), default=0) > 1


def _edits(own: str, other: str) -> int:
    """Return an upper bound of the letters that are added, left out or put in place of others."""
    codes = SequenceMatcher(None, own, other, autojunk=False).get_opcodes()
    return sum(max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in codes if tag != "equal")


@lru_cache(maxsize=4096)
def readable(word: str) -> bool:
    """Return True if all letters and digits of a word can be recognised."""
    plain = unicodedata.normalize("NFKD", word)
    if len(word) == 1 and not word.isascii():
        return False  # the signs of symbol fonts have letters for names
    return all(c in alphabet() for c in plain if c.isalnum())
