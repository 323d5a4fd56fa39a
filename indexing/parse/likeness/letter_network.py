"""The network that tells which letter a crop shows: two layers, fitted on the letters of open fonts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.parse.likeness.crops import SIDE
from indexing.parse.likeness.readings import fold_letters

NOTHING, SIGN, POINT = "nothing", "sign", "."
"""The kinds beside letters and digits: what is no glyph, or not a whole one; a sign; a point or comma."""
Floats = NDArray[np.float32]
_FILE = Path(__file__).with_name("letters.npz")


@lru_cache(maxsize=4096)
def kind_of(char: str) -> str:
    """Return the kind of a character: its letters and digits, those that look alike as one; POINT or SIGN."""
    return fold_letters(char)[0] or (POINT if char in ".,\u00b7" else SIGN)


@dataclass(frozen=True, slots=True)
class LetterNetwork:
    """`kinds` are what it tells apart; `layers` are weights (n, m) and offsets (m,), by turns."""

    kinds: tuple[str, ...]
    layers: tuple[Floats, ...]

    def probabilities(self, crops: Floats) -> Floats:
        """Return how probable each kind is for each of `crops` (n, SIDE, SIDE): (n, kinds)."""
        x = crops.reshape(len(crops), SIDE * SIDE)
        last = len(self.layers) - 2
        for n in range(0, len(self.layers), 2):
            x = x @ self.layers[n] + self.layers[n + 1]
            x = x if n == last else np.maximum(x, 0)
        raised = np.exp(x - x.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def save(self, path: Path) -> None:
        """Write the network, its weights at half precision."""
        arrays: dict[str, Any] = {f"layer{n}": layer.astype(np.float16) for n, layer in enumerate(self.layers)}
        np.savez_compressed(path, kinds=np.array(self.kinds), **arrays)

    @classmethod
    def load(cls, path: Path) -> LetterNetwork:
        """Read a network. Raises OSError or ValueError for what is none."""
        with np.load(path, allow_pickle=False) as arrays:
            layers = tuple(arrays[f"layer{n}"].astype(np.float32) for n in range(len(arrays.files) - 1))
            return cls(tuple(str(kind) for kind in arrays["kinds"]), layers)


@lru_cache(maxsize=1)
def letter_network() -> LetterNetwork:
    """Return the network that is shipped."""
    return LetterNetwork.load(_FILE)
