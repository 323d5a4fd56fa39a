"""The fusion of the scores that several views give the same elements into one score each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from indexing.embed import QueryVectors
from indexing.search.index_arrays import ORDINALS
from indexing.search.page_vectors import ScoredElements
from indexing.search.shard import TextHits
from indexing.types import View


def mean_query(first: QueryVectors, second: QueryVectors) -> QueryVectors:
    """Return the query (1, d) whose vector is the mean of two queries of one vector each, of unit length.

    MAVIS (Song et al. 2025, Table 3) averages the text-seeking and the image-seeking query so, for one search.
    """
    mean = (first.vectors + second.vectors) / 2
    return replace(first, vectors=mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-9))


def combined(
    scored: Mapping[View, ScoredElements],
    weights: Mapping[View, float],
    keys: NDArray[np.int64],
    firsts: NDArray[np.int64],
    counts: NDArray[np.int64],
    element_weight: float,
) -> NDArray[np.float32]:
    """Return MaxSim (e, Q) of all elements: the weighted mean of the views that know each, and its page's best.

    The page counts by the best of the views that know it, as a page of text may be in a view by a picture alone. An
    element that no view knows counts like its page's worst.
    """
    n_queries = next(iter(scored.values())).own.shape[1]
    own, own_weight = np.zeros((len(keys), n_queries), np.float32), np.zeros((len(keys), 1), np.float32)
    whole = np.full((len(keys), n_queries), -1.0, np.float32)
    for name, view in scored.items():
        at = np.searchsorted(keys, view.keys)
        own[at] += weights[name] * view.own
        own_weight[at] += weights[name]
        of_page = np.full((len(keys), n_queries), -1.0, np.float32)
        of_page[at] = view.page
        whole = np.maximum(whole, np.repeat(np.maximum.reduceat(of_page, firsts, axis=0), counts, axis=0))
    own = np.where(own_weight > 0, own / np.maximum(own_weight, 1e-9), np.inf)
    worst = np.repeat(np.minimum.reduceat(own, firsts, axis=0), counts, axis=0)
    own = np.where(np.isfinite(own), own, np.where(np.isfinite(worst), worst, -1.0))
    return (element_weight * own + (1 - element_weight) * whole).astype(np.float32)


def lexical(worded: Sequence[TextHits], keys: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return full-text scores (e, Q) of elements, the best of a query being 1."""
    found = np.zeros((len(keys), len(worded)), np.float32)
    for n, hits in enumerate(worded):
        if len(hits.keys):
            found[np.searchsorted(keys, hits.keys), n] = hits.scores / hits.best
    return found


def on_one_scale(scored: Mapping[View, ScoredElements]) -> dict[View, ScoredElements]:
    """Bring the scores of both views on one scale where their vectors come from different models.

    Those of the pixels are stretched and shifted so that the pages which both know score alike on the average, and are
    as far apart.
    """
    text, pixels = scored["text"], scored["visual"]
    pages = [np.unique(view.keys // ORDINALS, return_index=True) for view in (text, pixels)]
    shared, a, b = np.intersect1d(pages[0][0], pages[1][0], return_indices=True)
    if not len(shared):
        return dict(scored)
    ours, theirs = text.page[pages[0][1][a]], pixels.page[pages[1][1][b]]
    stretch = ours.std(axis=0) / np.maximum(theirs.std(axis=0), 1e-6)
    stretch = np.where(theirs.std(axis=0) > 1e-6, stretch, 1.0)
    shift = ours.mean(axis=0) - stretch * theirs.mean(axis=0)
    own, page = (np.asarray(v * stretch + shift, np.float32) for v in (pixels.own, pixels.page))
    return {"text": text, "visual": ScoredElements(pixels.keys, own, page)}


def drawn_only(view: ScoredElements, drawn: NDArray[np.bool_]) -> ScoredElements:
    """Return the scores for pixels alone (pages, and what is `drawn`) of a universal embedder's view, which
    has texts too.
    """
    kept = np.flatnonzero((view.keys % ORDINALS == 0) | drawn)
    keys, own = view.keys[kept], view.own[kept]
    if not len(keys):
        return ScoredElements(keys, own, own)
    firsts = np.flatnonzero(np.diff(keys // ORDINALS, prepend=-1))
    best = np.maximum.reduceat(own, firsts, axis=0)
    return ScoredElements(keys, own, np.repeat(best, np.diff(np.append(firsts, len(keys))), axis=0))


def by_view(scored: Mapping[View, ScoredElements], key: int, element_weight: float) -> tuple[tuple[str, float], ...]:
    """Return for each view that knows an element its weighted MaxSim and its page's for the first query."""
    found = []
    for view, own in scored.items():
        for at in np.flatnonzero(own.keys == key).tolist():
            both = element_weight * own.own[at, 0] + (1 - element_weight) * own.page[at, 0]
            found.append((view, float(both)))
    return tuple(found)
