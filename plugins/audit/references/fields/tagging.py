"""Tagging: the field of every token, by a small convolutional network and a linear chain (a CRF) over its scores.

An entry runs through four states: before the title, its authors, the title, and after it. The labels hold the state, so
that there is one title, and that authors stand before it; an entry may have none. The chain gives probabilities too: of
a title or a name as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources

import numpy as np
from numpy.typing import NDArray

LABELS = (
    "name", "in name", "between names", "year before", "before", "title", "in title", "venue", "in venue", "year",
    "after",
)  # fmt: skip
"""The labels of tokens: the first and the further ones of a name, a title and a venue, a year, and all else."""
DILATIONS = (1, 2, 4, 8, 16, 1)
"""The distances at which the convolutions look to both sides of a token."""
POOLED = 3
"""The convolution behind which the whole entry is looked at."""
_EARLY = frozenset(("name", "in name", "between names", "year before", "before"))
_NEXT = {"in name": ("name", "in name"), "in title": ("title", "in title"), "in venue": ("venue", "in venue")}
_NEVER = -1e4
Weights = Mapping[str, NDArray[np.float32]]


@cache
def transition_losses() -> NDArray[np.float32]:
    """Return 0 where a label may follow another, and a large loss where it may not: (L + 1, L), the start last."""
    size = len(LABELS)
    loss = np.zeros((size + 1, size), np.float32)
    for i, first in enumerate((*LABELS, "before")):
        for j, second in enumerate(LABELS):
            late_first, late_second = first not in _EARLY, second not in _EARLY
            before = _NEXT.get(second)
            wrong = before is not None and (i == size or first not in before)
            wrong = wrong or (late_first and not late_second) or (late_first and second == "title")
            loss[i, j] = _NEVER if wrong else 0
    return loss


@cache
def shipped_weights() -> Weights:
    """Return the weights of the network and the chain: whole numbers of eight bits with a scale each."""
    with resources.files("plugins.audit.references.fields").joinpath("fields.npz").open("rb") as file:
        arrays = np.load(file, allow_pickle=False)
        return {
            name: arrays[name].astype(np.float32) * arrays[f"{name}/scale"]
            for name in arrays.files
            if not name.endswith("/scale")
        }


def label_scores(columns: NDArray[np.int16], weights: Weights) -> NDArray[np.float32]:
    """Return the score of every label for every token, (n, L), from its features."""
    embeddings = weights["embedding"][columns].sum(1)
    state = np.maximum(embeddings @ weights["input"].T + weights["input/bias"], 0)
    count, width = state.shape
    for number, distance in enumerate(DILATIONS):
        kernel = weights[f"convolution {number}"]
        edge = np.zeros((distance, width), np.float32)
        padded_state = np.concatenate((edge, state, edge))
        gates = weights[f"convolution {number}/bias"] + sum(
            padded_state[k * distance : k * distance + count] @ kernel[:, :, k].T for k in range(3)
        )
        state = state + gates[:, :width] / (1 + np.exp(-np.clip(gates[:, width:], -30, 30)))
        if number == POOLED:
            whole = np.concatenate((state.mean(0), state.max(0)))
            state = state + np.maximum(weights["pooled"] @ whole + weights["pooled/bias"], 0)
    scores: NDArray[np.float32] = state @ weights["output"].T + weights["output/bias"]
    return scores


@dataclass(frozen=True)
class LabelChain:
    """The labels of one entry: `scores` of its tokens, (n, L), and `moves` from label to label, (L + 1, L)."""

    scores: NDArray[np.float32]
    moves: NDArray[np.float32]

    @classmethod
    def of(cls, columns: NDArray[np.int16]) -> LabelChain:
        """Return the chain of an entry's tokens."""
        weights = shipped_weights()
        scores = label_scores(columns, weights) if len(columns) else np.zeros((0, len(LABELS)), np.float32)
        return cls(scores, weights["moves"] + transition_losses())

    def best_path(self) -> list[int]:
        """Return the numbers of the best labels, by Viterbi; time is linear in the tokens."""
        if not len(self.scores):
            return []
        best = self.moves[-1] + self.scores[0]
        back = np.zeros(self.scores.shape, np.int8)
        for i in range(1, len(self.scores)):
            scores = best[:, None] + self.moves[:-1]
            back[i] = scores.argmax(axis=0)
            best = scores.max(axis=0) + self.scores[i]
        path = [int(best.argmax())]
        for i in range(len(self.scores) - 1, 0, -1):
            path.append(int(back[i, path[-1]]))
        return path[::-1]

    def probability(self, labels: Sequence[str], field: str) -> float:
        """Return how probable it is that the first span of a field is exactly the one that the labels name."""
        start = labels.index(field)
        end = next((i for i in range(start + 1, len(labels)) if labels[i] != f"in {field}"), len(labels))
        return float(np.exp(min(0.0, self.holding(field, start, end).total - self.total)))

    def holding(self, field: str, start: int, end: int) -> LabelChain:
        """Return the chain of the entry if the tokens from `start` to `end` are known to be exactly one such field."""
        first, inner = LABELS.index(field), LABELS.index(f"in {field}")
        scores = self.scores.copy()
        scores[start:end] = _NEVER
        scores[start, first] = self.scores[start, first]
        scores[start + 1 : end, inner] = self.scores[start + 1 : end, inner]
        scores[end : end + 1, inner] = _NEVER
        return LabelChain(scores, self.moves)

    @cached_property
    def total(self) -> float:
        """The logarithm of the sum over all paths."""
        scores = self.moves[-1] + self.scores[0]
        for row in self.scores[1:]:
            most = float(scores.max())
            sums = np.exp(scores - most) @ self._factors
            scores = np.log(np.maximum(sums, 1e-30)) + most + row
        most = float(scores.max())
        return float(np.log(np.exp(scores - most).sum())) + most

    @cached_property
    def _factors(self) -> NDArray[np.float32]:
        return np.exp(self.moves[:-1])
