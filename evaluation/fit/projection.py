"""Fit the projection of MiniLM's token states (384 -> 128) that `indexing/embed/minilm_axes.npy` holds.

    python -m evaluation.fit projection --pdfs ../shared/eval/mmdocir/pdfs --out indexing/embed/minilm_axes.npy

The axes are the leading eigenvectors of the (uncentred) second moment of unit token states over text blocks of the
PDFs: of all projections to 128 dimensions the one that keeps most of the dot products. Questions are not used.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pymupdf
from numpy.typing import NDArray

from indexing.embed import minilm


def blocks(folder: Path, per_document: int, seed: int = 0) -> list[str]:
    """Return up to `per_document` text blocks of every PDF in the folder, the same ones each time."""
    chosen: list[str] = []
    for path in sorted(folder.glob("*.pdf")):
        with pymupdf.open(path) as document:
            texts = [b[4] for page in document for b in page.get_text("blocks") if len(b[4].split()) >= 4]
        chosen += random.Random(seed).sample(texts, min(per_document, len(texts)))  # noqa: S311  a sample, no secret
    return [" ".join(text.split())[:1000] for text in chosen]


def fit(texts: list[str], dim: int) -> tuple[NDArray[np.float16], float]:
    """Return the axes (384, dim) and the share of the second moment that they keep."""
    model = minilm.MiniLM(threads=0, projection=np.eye(384, dtype=np.float32))
    moment = np.zeros((384, 384))
    for text in texts:
        states = model.token_states(text).astype(np.float64)
        moment += states.T @ states
    values, vectors = np.linalg.eigh(moment)
    order = np.argsort(-values)[:dim]
    return vectors[:, order].astype(np.float16), float(values[order].sum() / values.sum())


def main(argv: Sequence[str] | None = None) -> None:
    """Fit, save, and print the hash that minilm.py checks."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.fit projection",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pdfs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--dim", type=int, default=minilm.DIM)
    parser.add_argument("--blocks", type=int, default=150, help="how many text blocks are taken from each document")
    args = parser.parse_args(argv)
    texts = blocks(args.pdfs, args.blocks)
    axes, kept = fit(texts, args.dim)
    np.save(args.out, axes)
    print(
        f"{len(texts)} blocks; {args.dim} axes keep {kept:.1%}; "
        f"PROJECTION_SHA256 = {hashlib.sha256(args.out.read_bytes()).hexdigest()}"
    )
