"""The weights of a checkpoint on disk: files of gigabytes, known by their size and by pieces of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import _Hash

SAMPLES, SAMPLE_BYTES = 16, 4096
"""The number and size in bytes of the pieces that stand for a file of weights: reading all of it would take minutes."""


def add_sampled(seen: _Hash, name: str, file: Path) -> None:
    """Add to a hash the name and the size of a file, and pieces of it. Raises OSError."""
    size = file.stat().st_size
    seen.update(f"\0{name} {size}".encode())
    with file.open("rb") as opened:
        for piece in range(SAMPLES):
            opened.seek(piece * max(size - SAMPLE_BYTES, 0) // (SAMPLES - 1))
            seen.update(opened.read(SAMPLE_BYTES))
