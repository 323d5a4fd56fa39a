"""Made pages: a collection of any size out of the pages of a real one, no two of them alike.

A page of a made document is put together as follows; everything is drawn from seeds of the document's number.

mixing        It has the first elements of one page of a real document, and the last of another page of it.
other words   The made document speaks of other things: each code (a centroid of the codebook, some meaning of a word)
              stays with the probability `kept`, or else becomes one of the `NEAR` nearest codes, the same in all of the
              document. The vectors of a code are turned with it, by the rotation in the plane of both centroids, which
              keeps every cosine among them and with their centroid.
other context The vectors of a page that share a code are moved together, towards the mean of those that share it on
              some real page: by a share drawn evenly from 0 to 1. So their mean is a mixture of two that exist.

How many vectors a page and an element have, how they bundle into codes, how far they lie from their centroids and how
often a code occurs is thus as in real pages; their quality as a stand-in is measured by `fairness`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.benches.scale.kernels import make_pages
from indexing.store import Snapshot

BLOCK = 500
NEAR = 16
"""The number of nearest codes of which one takes a code's place, and among which a vector's code is looked for."""
KEPT = 0.6
"""The probability that a code stays itself in a made document (measured: docs/experiments/search-speed.md)."""


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page of document `doc` (`number` from 1): packed vectors, spans (m, 3), codes and residuals, as stored."""

    doc: str
    number: int
    vectors: bytes
    spans: NDArray[np.int32]
    codes: bytes
    residuals: bytes


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A page whose tokens are drawn: their rows among the real vectors (n,), the codes that theirs become (n,)."""

    document: int
    number: int
    row: NDArray[np.int64]
    becomes: NDArray[np.int64]
    spans: NDArray[np.int32]


class PageMaker:
    """The maker of large collections, out of the pages with text of a real one."""

    def __init__(self, source: Snapshot, codebook: NDArray[np.float32], kept: float = KEPT) -> None:
        """Read the pages, their codes, and the mean of each code on each page."""
        keys = source.page_keys()
        names, rows = np.array(keys["doc_id"].to_pylist()), keys["_rowid"].to_numpy()
        pages = [page for at in range(0, len(rows), 500) for page in source.vectors(rows[at : at + 500].tolist())]
        with_text = [n for n, (_, spans) in enumerate(pages) if len(spans)]
        bases = np.cumsum([0, *(len(pages[n][0]) for n in with_text)])
        self.codebook, self._kept = codebook, kept
        self._vectors = np.concatenate([pages[n][0] for n in with_text]).astype(np.int8)
        self._code = _nearest(self._vectors, codebook)
        self._near = np.argsort(-(codebook @ codebook.T), axis=1)[:, : NEAR + 1]
        self._documents: list[list[NDArray[np.int64]]] = []
        for name in dict.fromkeys(names[with_text].tolist()):
            own = [at for at, page in enumerate(with_text) if names[page] == name]
            spans = [pages[with_text[at]][1][:, 1:].astype(np.int64) + np.array([bases[at], 0]) for at in own]
            self._documents.append(spans)
        self._means, self._of_code = self._real_means(np.repeat(np.arange(len(with_text)), np.diff(bases)))

    def _real_means(self, page: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the mean of each code on each page, ordered by code, and where those of each code begin (c + 1,)."""
        key = self._code * (page.max() + 1) + page
        order = np.argsort(key, kind="stable")
        firsts = np.flatnonzero(np.diff(key[order], prepend=-1))
        counts = np.diff(np.append(firsts, len(key)))
        means = np.add.reduceat(self._vectors[order].astype(np.float32), firsts, axis=0) / counts[:, None] / 127
        codes = self._code[order][firsts]
        return means.astype(np.float32), np.searchsorted(codes, np.arange(len(self.codebook) + 1))

    def pages(self, count: int) -> Iterator[list[MadePage]]:
        """Yield `count` pages, those of one made document after another, some 500 at a time."""
        made, document, block = 0, 0, list[_Drawn]()
        while made < count:
            block += self._document(document, count - made - len(block))
            document += 1
            if len(block) >= BLOCK or made + len(block) >= count:
                yield self._finished(block, np.random.default_rng((19, document, 1)))
                made, block = made + len(block), []

    def _document(self, number: int, most: int) -> list[_Drawn]:
        """Draw up to `most` pages of a made document."""
        rng = np.random.default_rng((19, number))
        source = self._documents[number % len(self._documents)]
        stays = rng.random(len(self.codebook)) < self._kept
        other = self._near[np.arange(len(stays)), rng.integers(1, NEAR + 1, len(stays))]
        becomes = np.where(stays, np.arange(len(stays)), other)
        found = []
        for page, upper in enumerate(source[:most]):
            lower = source[rng.integers(0, len(source))]
            cut = round(rng.random() * len(upper))
            elements = np.concatenate([upper[:cut], lower[round(cut * len(lower) / len(upper)) :]])
            elements = elements if len(elements) else upper
            lengths = elements[:, 1]
            firsts = np.cumsum(lengths) - lengths
            row = np.repeat(elements[:, 0] - firsts, lengths) + np.arange(lengths.sum())
            spans = np.column_stack([np.arange(len(elements)), firsts, lengths]).astype(np.int32)
            found.append(_Drawn(number, page + 1, row, becomes[self._code[row]], spans))
        return found

    def _finished(self, drawn: Sequence[_Drawn], rng: np.random.Generator) -> list[MadePage]:
        """Make the vectors of pages."""
        row = np.concatenate([each.row for each in drawn])
        tokens = np.column_stack([row, self._code[row], np.concatenate([each.becomes for each in drawn])])
        starts = np.cumsum([0, *(len(each.row) for each in drawn)])
        n, dim = len(row), self.codebook.shape[1]
        packed, counts = np.empty((n, dim // 2), np.uint8), np.empty(len(drawn), np.int64)
        codes, residuals = np.empty(n, np.uint16), np.empty((n, dim // 8 + 1), np.uint8)
        real = (self._vectors, self._means, self._of_code, self.codebook, self._near)
        draws = rng.random((n, 2), np.float32)
        make_pages(real, (tokens, draws), starts, (packed, codes, residuals), counts)
        return [
            MadePage(
                f"{each.document:016x}", each.number, packed[first:end].tobytes(), each.spans,
                codes[first : first + count].tobytes(), residuals[first : first + count].tobytes(),
            )
            for each, first, end, count in zip(drawn, starts[:-1], starts[1:], counts, strict=True)
        ]  # fmt: skip


def _nearest(vectors: NDArray[np.int8], codebook: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the nearest code of each vector (n,)."""
    parts = [(vectors[at : at + 4096].astype(np.float32) @ codebook.T).argmax(1) for at in range(0, len(vectors), 4096)]
    return np.concatenate(parts)
