"""Metrics of a ranking of documents with graded relevance: nDCG, recall and reciprocal rank, cut at rank k.

They are trec_eval's ndcg_cut, recall and recip_rank (m_ndcg_cut.c), which pytrec_eval computes for ViDoRe
and mteb.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def ndcg(gains: Mapping[str, int], ranking: Sequence[str], k: int) -> float | None:
    """Return nDCG@k: the sum over ranks i <= k of gain_i / log2(i + 1), divided by that of the best ranking.

    The gain is the relevance itself, not 2^relevance - 1. A document that is not in `gains` has 0, and a negative gain
    counts as 0. It is None without a relevant document.

    >>> ndcg({"a": 2, "b": 1}, ["b", "x", "a"], 5)  # (1/1 + 2/2) / (2/1 + 1/1.585)
    0.7601875334318685
    """
    ideal = sorted((gain for gain in gains.values() if gain > 0), reverse=True)
    return (
        _discounted_gain([gains.get(name, 0) for name in ranking[:k]]) / _discounted_gain(ideal[:k]) if ideal else None
    )


def _discounted_gain(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(i + 1) for i, gain in enumerate(gains, 1) if gain > 0)


def recall_at(gains: Mapping[str, int], ranking: Sequence[str], k: int) -> float | None:
    """Return Recall@k: the share of relevant documents among the first k; None without one.

    >>> recall_at({"a": 1, "b": 2}, ["a", "c"], 5)
    0.5
    """
    relevant = {name for name, gain in gains.items() if gain > 0}
    return len(relevant.intersection(ranking[:k])) / len(relevant) if relevant else None


def reciprocal_rank(gains: Mapping[str, int], ranking: Sequence[str], k: int) -> float | None:
    """Return 1 / the rank of the first relevant document, 0 if it is not among the first k; None without one.

    Its mean over questions is MRR@k.

    >>> reciprocal_rank({"a": 1}, ["b", "a"], 10)
    0.5
    """
    if all(gain <= 0 for gain in gains.values()):
        return None
    return next((1 / i for i, name in enumerate(ranking[:k], 1) if gains.get(name, 0) > 0), 0.0)
