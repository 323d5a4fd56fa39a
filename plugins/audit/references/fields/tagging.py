"""Tagging: the most probable field of every token, by a linear chain of learnt weights (averaged perceptron).

An entry runs through four states: before the title, its authors, the title, and after it. The labels hold the state, so
that there is one title, and that authors stand before it. `python -m evaluation.fit references` fits the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

LABELS = (
    "name",
    "in name",
    "between names",
    "year before",
    "before",
    "title",
    "in title",
    "venue",
    "in venue",
    "year",
    "after",
)
"""The labels of tokens: the first and the further ones of a name, a title and a venue, a year, and all else."""
WEIGHTS_FILE = "fields.npz"
_EARLY = frozenset(("name", "in name", "between names", "year before", "before"))
_NEXT = {"in name": ("name", "in name"), "in title": ("title", "in title"), "in venue": ("venue", "in venue")}


@cache
def allowed() -> NDArray[np.float32]:
    """Return 0 where a label may follow another, and a large loss where it may not: (L + 1, L), the start last."""
    size = len(LABELS)
    loss = np.zeros((size + 1, size), np.float32)
    for i, first in enumerate((*LABELS, "before")):
        for j, second in enumerate(LABELS):
            starts = i == size
            late_first, late_second = first not in _EARLY, second not in _EARLY
            before = _NEXT.get(second)
            wrong = (before is not None and (starts or first not in before)) or (late_first and not late_second)
            wrong = wrong or (late_first and second == "title")
            wrong = wrong or (second in ("venue", "year", "after") and not late_first)
            if wrong:
                loss[i, j] = -1e6
    return loss


@cache
def _weights() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the weights of features, (HASHED, L), and of one label after another, (L + 1, L)."""
    with resources.files("plugins.audit.references.fields").joinpath(WEIGHTS_FILE).open("rb") as file:
        stored = np.load(file, allow_pickle=False)
        emissions = np.zeros((int(stored["size"]), len(LABELS)), np.float32)
        emissions[stored["rows"]] = stored["values"].astype(np.float32) * stored["scale"]
        return emissions, stored["moves"].astype(np.float32)


def best_path(
    ids: Sequence[NDArray[np.int32]], weights: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None
) -> list[int]:
    """Return the numbers of the best labels, by Viterbi; time is linear in the tokens."""
    if not ids:
        return []
    emissions, moves = weights or _weights()
    moves = moves + allowed()
    flat = np.concatenate(ids)
    starts = np.cumsum([0] + [len(part) for part in ids[:-1]])
    scores = np.add.reduceat(emissions[flat], starts, axis=0)
    best = moves[-1] + scores[0]
    back = np.zeros((len(ids), len(LABELS)), np.int8)
    inner = moves[:-1]
    for i in range(1, len(ids)):
        reached = best[:, None] + inner
        back[i] = reached.argmax(axis=0)
        best = reached.max(axis=0) + scores[i]
    path = [int(best.argmax())]
    for i in range(len(ids) - 1, 0, -1):
        path.append(int(back[i, path[-1]]))
    return path[::-1]
