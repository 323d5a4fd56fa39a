"""BM25 over whole pages: the baseline that needs no model (Robertson & Zaragoza 2009, eq. 3.15).

A page scores sum over query words of idf(w) tf (k1 + 1) / (tf + k1 (1 - b + b length / mean length)), with
idf(w) = ln(1 + (N - n + 0.5) / (n + 0.5)), which is never negative. No stemming, no stop words.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
B = 0.75
_WORD = re.compile(r"\w+")


class Bm25:
    """An index that scores texts by the words that they share with a question."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Weigh every word of every text once, so that a search is a sum."""
        counted = [Counter(words(text)) for text in texts]
        lengths = np.array([sum(c.values()) for c in counted], np.float32)
        norms = K1 * (1 - B + B * lengths / max(float(lengths.mean()) if len(texts) else 0.0, 1.0))
        postings: dict[str, list[tuple[int, int]]] = {}
        for row, counts in enumerate(counted):
            for word, count in counts.items():
                postings.setdefault(word, []).append((row, count))
        self._size = len(texts)
        self._postings: dict[str, tuple[NDArray[np.int32], NDArray[np.float32]]] = {}
        for word, found in postings.items():
            rows = np.array([row for row, _ in found], np.int32)
            often = np.array([count for _, count in found], np.float32)
            idf = np.log(1 + (self._size - len(found) + 0.5) / (len(found) + 0.5))
            self._postings[word] = rows, (idf * often * (K1 + 1) / (often + norms[rows])).astype(np.float32)

    def scores(self, question: str) -> NDArray[np.float32]:
        """Return the score (n,) of every text; 0 where it shares no word with the question."""
        found = np.zeros(self._size, np.float32)
        for word in words(question):
            if word in self._postings:
                rows, weights = self._postings[word]
                found[rows] += weights
        return found

    def save(self, folder: Path) -> None:
        """Write words, rows and weights, as an index on disk would hold them."""
        rows, weights = zip(*self._postings.values(), strict=True) if self._postings else ((), ())
        (folder / "words.json").write_text(json.dumps({word: len(r) for word, (r, _) in self._postings.items()}))
        np.save(folder / "rows.npy", np.concatenate([np.zeros(0, np.int32), *rows]))
        np.save(folder / "weights.npy", np.concatenate([np.zeros(0, np.float32), *weights]))


def words(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return _WORD.findall(text.lower())
