"""The MAUVE of features, in a process of its own: `python -m evaluation.harness.mauve_process FILE.npz` prints it.

faiss, which makes the buckets, and PyMuPDF cannot be in one process: both are wrapped by SWIG, whose table of types
they share, and the one that comes second is handed the vectors of the one that came first.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def mauve(gold: NDArray[np.float32], said: NDArray[np.float32]) -> float:
    """Return MAUVE of features (n, d) of gold texts and (m, d) of answers, with the package's defaults.

    It is the same each time. Raises ValueError with the package's message when it fails.
    """
    with tempfile.TemporaryDirectory(prefix="vouch-mauve-") as folder:
        file = Path(folder) / "features.npz"
        np.savez(file, gold=gold, said=said)
        words = [sys.executable, "-m", "evaluation.harness.mauve_process", str(file)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603  our own program
    try:
        return float(done.stdout.split()[-1])
    except (IndexError, ValueError):
        said_last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise ValueError(f"mauve-text failed: {said_last[:300]}") from None


def main() -> int:
    """Compute and print."""
    from mauve import compute_mauve

    with np.load(sys.argv[1]) as features:
        print(compute_mauve(p_features=features["gold"], q_features=features["said"], verbose=False).mauve)
    return 0


if __name__ == "__main__":
    sys.exit(main())
