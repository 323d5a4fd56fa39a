"""Hash the weights of a checkpoint: files of gigabytes, identified by their size and samples of their content."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import _Hash

SAMPLES, SAMPLE_BYTES = 16, 4096
"""The number and size in bytes of the pieces that stand for a file of weights: reading all of it would take minutes."""


def add_sampled(digest: _Hash, name: str, file: Path) -> None:
    """Add the name and size of a file, and samples of its content, to a hash. Raises OSError."""
    size = file.stat().st_size
    digest.update(f"\0{name} {size}".encode())
    with file.open("rb") as stream:
        for piece in range(SAMPLES):
            stream.seek(piece * max(size - SAMPLE_BYTES, 0) // (SAMPLES - 1))
            digest.update(stream.read(SAMPLE_BYTES))
