"""Fit the codebook with which the first stage of search scores pages (`indexing/embed/minilm_codebook.npy`).

    python -m plugins.research.fit codebook --pdfs ../shared/eval/mmdocir/pdfs --out indexing/embed/minilm_codebook.npy

It is spherical k-means over projected token vectors of text blocks of the PDFs. Questions are not used.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.embed import minilm
from plugins.research.fit.projection import blocks

ROUNDS = 8
CHUNK = 1 << 12
"""The number of tokens compared with all centroids at a time."""


def nearest(
    tokens: NDArray[np.float32], centroids: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the centroid nearest to each token (n,), and the cosine with it (n,)."""
    found, cosines = np.zeros(len(tokens), np.int64), np.zeros(len(tokens), np.float32)
    for at in range(0, len(tokens), CHUNK):
        similar = tokens[at : at + CHUNK] @ centroids.T
        found[at : at + CHUNK], cosines[at : at + CHUNK] = similar.argmax(axis=1), similar.max(axis=1)
    return found, cosines


def cluster(tokens: NDArray[np.float32], count: int, seed: int = 0) -> NDArray[np.float32]:
    """Return `count` unit centroids (count, d) of unit rows (n, d); an empty one is put on the worst-fitting token."""
    centroids = tokens[np.random.default_rng(seed).choice(len(tokens), count, replace=False)]
    for _ in range(ROUNDS):
        found, cosines = nearest(tokens, centroids)
        sums = np.zeros_like(centroids)
        np.add.at(sums, found, tokens)
        empty = np.flatnonzero(np.bincount(found, minlength=count) == 0)
        sums[empty] = tokens[np.argsort(cosines)[: len(empty)]]
        centroids = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    return centroids


def main(argv: Sequence[str] | None = None) -> None:
    """Fit, save, and print the hash that minilm.py checks."""
    parser = argparse.ArgumentParser(
        prog="python -m plugins.research.fit codebook",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pdfs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--codes", type=int, default=8192)
    parser.add_argument("--blocks", type=int, default=150, help="how many text blocks are taken from each document")
    args = parser.parse_args(argv)
    model = minilm.MiniLM()
    tokens = np.concatenate([model.token_states(text) for text in blocks(args.pdfs, args.blocks)])
    centroids = cluster(tokens, args.codes)
    np.save(args.out, centroids.astype(np.float16))
    kept = float(nearest(tokens, centroids)[1].mean())
    print(f"{len(tokens)} tokens; mean cosine with their code {kept:.3f}")
    print(f"CODEBOOK_SHA256 = {hashlib.sha256(args.out.read_bytes()).hexdigest()}")
