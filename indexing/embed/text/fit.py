"""Fit a codebook to the vectors of a collection with its own late-interaction checkpoint.

MiniLM's codebook was fitted to MiniLM's vectors. A collection with another model fits one to the first 20,000 token
vectors that it indexes, once, seeded. Pages from before have the code 0, whose centroid is zero, and are always scored
exactly: no page is coded again.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from indexing.embed.protocol import TokenVectors
from indexing.errors import CollectionDamaged
from indexing.vectors import normalize

if TYPE_CHECKING:
    from indexing.embed.protocol import TextEmbedder
    from indexing.storage import StorageRoot, StoredFile

NAME = "text_fit.npz"
"""The file of a collection with what was fitted to its text embedder."""
SAMPLE = 20_000
"""The number of token vectors that a codebook is fitted to."""
CODES = 2048
ROUNDS = 8
_CHUNK = 1 << 12


class FitFile:
    """The file of a fit. It is read again until it has a codebook, as another process can fit one meanwhile."""

    def __init__(self, place: StorageRoot) -> None:
        """Keep the place of the collection."""
        self._place = place
        self._read: tuple[StoredFile, NDArray[np.float32] | None] | None = None

    def codebook(self) -> NDArray[np.float32] | None:
        """Return the centroids (c, d), the first of them zero; None until they are fitted. Raises CollectionDamaged."""
        if self._read is not None and self._read[1] is not None:
            return self._read[1]
        file = self._place.find(NAME)
        if file is None:
            return None
        if self._read is None or self._read[0] != file:
            book = self._arrays()["codebook"].astype(np.float32)
            self._read = (file, book if len(book) else None)
        return self._read[1]

    def sample(self) -> NDArray[np.int8]:
        """Return the token vectors (n, d) that earlier runs have saved for a fit; none after the fit."""
        if self._place.find(NAME) is None:
            return np.zeros((0, 0), np.int8)
        return self._arrays()["sample"].astype(np.int8)

    def write(self, codebook: NDArray[np.float32], sample: NDArray[np.int8]) -> None:
        """Write the file atomically; one of the two arrays is empty. Raises DiskFull, CollectionDamaged."""
        content = BytesIO()
        np.savez(content, codebook=codebook.astype(np.float16), sample=sample)
        self._place.write(NAME, content.getvalue())

    def _arrays(self) -> dict[str, NDArray[Any]]:
        try:
            with np.load(BytesIO(self._place.read(NAME)), allow_pickle=False) as arrays:
                return {name: arrays[name] for name in ("codebook", "sample")}
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise CollectionDamaged(
                f"{self._place}/{NAME} cannot be read ({error}): restore a copy of it, or index into another collection"
            ) from None


class CollectionFit:
    """Fit a codebook while a collection is written, if its embedder needs one."""

    def __init__(self, embedder: TextEmbedder) -> None:
        """Load the sample of earlier runs."""
        self._dim = embedder.dim
        self._file = embedder.fit if embedder.fit and embedder.fit.codebook() is None else None
        sample = self._file.sample() if self._file else np.zeros((0, 0), np.int8)
        self._vectors: list[NDArray[np.int8]] = [sample] if len(sample) else []
        self._count = self._saved_count = len(sample)

    def take(self, passages: Sequence[TokenVectors]) -> None:
        """Add the passages of a page to the sample; fit the codebook when it is complete. Raises DiskFull."""
        if self._file is None:
            return
        for own in passages:
            self._vectors.append(own.vectors)
            self._count += len(own.vectors)
        if self._count >= SAMPLE:
            book = cluster(normalize(self._sample().astype(np.float32)), CODES)
            zero = np.zeros((1, self._dim), np.float32)
            self._file.write(np.concatenate([zero, book]), np.zeros((0, self._dim), np.int8))
            self._file, self._vectors = None, []

    def close(self) -> None:
        """Save an incomplete sample for the next run. Raises DiskFull."""
        if self._file is not None and self._count > self._saved_count:
            self._file.write(np.zeros((0, self._dim), np.float32), self._sample())

    def _sample(self) -> NDArray[np.int8]:
        return np.concatenate([np.zeros((0, self._dim), np.int8), *self._vectors])[:SAMPLE]


def cluster(tokens: NDArray[np.float32], count: int, seed: int = 0) -> NDArray[np.float32]:
    """Return `count` unit centroids (count, d) of unit rows (n, d) by spherical k-means, seeded.

    An empty one is put on the worst-fitting row.
    """
    centroids = tokens[np.sort(np.random.default_rng(seed).choice(len(tokens), count, replace=False))]
    for _ in range(ROUNDS):
        nearest, cosines = np.zeros(len(tokens), np.int64), np.zeros(len(tokens), np.float32)
        for at in range(0, len(tokens), _CHUNK):
            similar = tokens[at : at + _CHUNK] @ centroids.T
            nearest[at : at + _CHUNK], cosines[at : at + _CHUNK] = similar.argmax(axis=1), similar.max(axis=1)
        sums = np.zeros_like(centroids)
        np.add.at(sums, nearest, tokens)
        empty = np.flatnonzero(np.bincount(nearest, minlength=count) == 0)
        sums[empty] = tokens[np.argsort(cosines)[: len(empty)]]
        centroids = normalize(sums)
    return centroids
