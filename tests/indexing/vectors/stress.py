"""A stress test of search's arithmetic: `python -m tests.indexing.vectors.stress --minutes 10`.

One run of the tests once told of values in a matrix product that are not numbers (issue 13). This looks for them where
memory that nobody filled could come in: all of it holds signalling NaNs here, which raise the processor's flag wherever
they are reckoned with. A finding ends it with an AssertionError or a RuntimeWarning.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.vectors import InvertedLists, element_maxima, mean_maxima
from indexing.vectors.kernels import packed_maxima

SIGNALLING = 0x7FA00001
"""The bits of a float32 that is a signalling NaN."""


def unfilled(*shape: int) -> NDArray[np.float32]:
    """Return an array (of this shape) in which every value is a signalling NaN."""
    return np.full(shape, SIGNALLING, np.uint32).view(np.float32)


def products(seconds: float, seed: int = 0) -> int:
    """Multiply matrices with vectors as `_weighted` does, with NaNs around both and in the result; count them."""
    rng, count, end = np.random.default_rng(seed), 0, time.monotonic() + seconds
    while time.monotonic() < end:
        m, q, shift = (int(n) for n in rng.integers((1, 1, 0), (300, 130, 8)))
        maxima, own, out = unfilled(m + 2, q + 16)[1:-1, shift : shift + q], unfilled(q + 8)[shift:][:q], unfilled(m)
        maxima[...], own[...] = rng.standard_normal((m, q)), rng.random(q)
        with np.errstate(all="raise"):
            np.matmul(maxima, own, out=out)
        assert np.isfinite(out).all(), (m, q, shift)
        count += 1
    return count


def in_threads(seconds: float, seed: int = 0) -> int:
    """Run the kernel of exact scores in four threads at a time that live for one call; return the number of calls."""
    rng, end, done, faults = np.random.default_rng(seed), time.monotonic() + seconds, 0, []
    turn = threading.Lock()

    def once(seed: int) -> None:
        query, packed, first, last = _search(np.random.default_rng(seed))
        out = unfilled(len(first), len(query))
        halves = np.concatenate([query[:, ::2], query[:, 1::2]], axis=1)
        arrays = [halves, packed, first, last]
        for array in arrays:
            array.flags.writeable = False
        with turn:
            packed_maxima(*arrays, out)
        if not np.allclose(out, _expected(query, packed, first, last), atol=1e-3):
            faults.append((seed, out))

    while time.monotonic() < end:
        threads = [threading.Thread(target=once, args=(int(rng.integers(1 << 31)),)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        done += len(threads)
        assert faults == []
    return done


def cold(folder: Path, rounds: int) -> int:
    """Let three processes at a time compile all kernels into one empty cache; return the number of processes."""
    for number in range(rounds):
        cache = folder / str(number)
        cache.mkdir()
        command = [sys.executable, "-W", "error", "-m", "tests.indexing.vectors.stress", "--once"]
        env = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
        runs = [subprocess.Popen([*command, str(3 * number + n)], env=env) for n in range(3)]
        assert [run.wait() for run in runs] == [0, 0, 0], f"round {number}"
    return 3 * rounds


def once(seed: int) -> None:
    """Ask all three kernels for maxima whose arrays differ in form, and compare them with numpy's."""
    rng = np.random.default_rng(seed)
    for number in range(40):
        query, packed, first, last = _search(rng)
        packed.flags.writeable = bool(number % 2)
        want = _expected(query, packed, first, last) * np.float32(5 / 127)
        assert np.allclose(element_maxima(query, packed, first, last), want, atol=1e-3)
        book, codes = (
            rng.standard_normal((64, 128)).astype(np.float32),
            rng.integers(0, 64, len(packed)).astype(np.uint16),
        )
        starts = np.array([0, len(packed) // 2, len(packed)])
        weights = np.full(len(query), 1 / len(query), np.float32)
        found = InvertedLists.of(codes, starts).scores(2, book @ query.T, weights, probes=64)
        cosines = (book @ query.T)[codes]
        assert np.allclose(found, np.maximum.reduceat(cosines, starts[:-1]) @ weights, atol=1e-3)
        residuals = rng.integers(0, 256, (len(packed), 17), np.uint8)
        assert np.isfinite(mean_maxima(query, book, codes, residuals, first, last)).all()


def _search(
    rng: np.random.Generator,
) -> tuple[NDArray[np.float32], NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """Return a query (q, 128), packed vectors (n, 64), and the segments [first, last) of m elements."""
    m, q, n = (int(size) for size in rng.integers((1, 2, 20), (12, 16, 120)))
    first = rng.integers(0, n - 1, m)
    last = np.minimum(first + rng.integers(1, 30, m), n)
    query = rng.standard_normal((q, 128)).astype(np.float32) / np.float32(12)
    return query, rng.integers(0, 256, (n, 64), np.uint8), first, last


def _expected(
    query: NDArray[np.float32], packed: NDArray[np.uint8], first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return the maxima (m, q) in levels of the packing, by numpy."""
    levels = np.stack([packed & 15, packed >> 4], axis=2).reshape(len(packed), -1).astype(np.float32) - 8
    return np.stack([(levels[a:b] @ query.T).max(axis=0) for a, b in zip(first, last, strict=True)])


def main() -> None:
    """Run each part for a third of the time."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=float, default=10, help="how long it takes, roughly (default: %(default)s)")
    options.add_argument("--once", type=int, metavar="SEED", help=argparse.SUPPRESS)
    asked = options.parse_args()
    warnings.simplefilter("error")
    if asked.once is not None:
        once(asked.once)
        return
    seed, share = int(time.time()), 20 * asked.minutes
    right = f"{products(share, seed):,} products and {in_threads(share, seed):,} calls of a kernel are right"
    sys.stdout.write(f"seed {seed}: {right}\n")
    end, processes = time.monotonic() + share, 0
    while time.monotonic() < end:
        with tempfile.TemporaryDirectory() as folder:
            processes += cold(Path(folder), rounds=1)
    sys.stdout.write(f"{processes} processes compiled the kernels, three at once, and are right\n")


if __name__ == "__main__":
    main()
