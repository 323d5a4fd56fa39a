"""The analysis of attention in MCiteBench (Hu et al. 2025, arXiv 2503.02589): shares of each item, by layer.

The paper asks how a model attends to its sources. Rows of attention sum to 1 over all that a token may look at, so an
item's share is at most 1, and so is the sum of all items; the rest lies on the instructions, the question and the
answer so far. The paper averages over heads and divides by the number of an item's tokens, as one with many tokens
draws attention by its mere length: `per_token`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Shares = NDArray[np.float64]
Span = tuple[int, int]
"""The tokens of an item in the prompt: its first, and the one after its last."""


def item_shares(attention: NDArray[np.floating], spans: Sequence[Span]) -> Shares:
    """Return attention on each item, (layers, items), of `attention` (layers, heads, answer tokens, tokens looked at).

    It is summed over the item's tokens, then averaged over heads and answer tokens. Raises ValueError for a span
    that is empty, beyond the tokens, or overlaps another one: its attention would count twice.

    >>> rows = np.array([[[[0.5, 0.25, 0.25], [0.1, 0.3, 0.6]]]])  # one layer, one head, two answer tokens
    >>> item_shares(rows, [(0, 1), (1, 3)]).round(2).tolist()
    [[0.3, 0.7]]
    """
    layers, heads, answers, tokens = attention.shape
    if not heads or not answers:
        raise ValueError(f"attention of shape {attention.shape} has no rows to take a mean of")
    if any(not 0 <= start < end <= tokens for start, end in spans):
        raise ValueError(f"the spans {list(spans)} are empty or not within {tokens} tokens")
    ordered = sorted(spans)
    if any(before[1] > after[0] for before, after in itertools.pairwise(ordered)):
        raise ValueError(f"the spans {list(spans)} overlap")
    found = np.zeros((layers, len(spans)))
    for item, (start, end) in enumerate(spans):
        found[:, item] = attention[..., start:end].sum(axis=-1, dtype=np.float64).mean(axis=(1, 2))
    return found


def per_token(shares: Shares, tokens: Sequence[int]) -> Shares:
    """Return shares (layers, items) divided by the number of each item's tokens: the paper's normalisation.

    >>> per_token(np.array([[0.3, 0.6]]), [1, 3]).round(2).tolist()
    [[0.3, 0.2]]
    """
    if any(count < 1 for count in tokens):
        raise ValueError(f"{list(tokens)} tokens: every item needs at least one")
    return shares / np.asarray(tokens, dtype=np.float64)


def distribution(values: Shares) -> Shares:
    """Return each layer (a row) divided by its sum, so that the items' values sum to 1; zeros where all are zero.

    >>> distribution(np.array([[0.3, 0.1], [0.0, 0.0]])).round(2).tolist()
    [[0.75, 0.25], [0.0, 0.0]]
    """
    total = values.sum(axis=-1, keepdims=True)
    found: Shares = np.divide(values, total, out=np.zeros_like(values), where=total > 0)
    return found


def of_members(values: Shares, members: Sequence[bool]) -> Shares:
    """Return the sum over the items that are members, by layer: (layers,); zeros with no member.

    >>> of_members(np.array([[0.3, 0.1, 0.2]]), [True, False, True]).round(2).tolist()
    [0.5]
    """
    chosen: Shares = values[:, np.asarray(members, dtype=bool)].sum(axis=-1)
    return chosen
