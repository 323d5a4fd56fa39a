"""Combine the scores of the same elements by several views into one score each."""

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


def combine_views(
    view_scores: Mapping[View, ScoredElements],
    weights: Mapping[View, float],
    keys: NDArray[np.int64],
    firsts: NDArray[np.int64],
    counts: NDArray[np.int64],
    element_weight: float,
) -> NDArray[np.float32]:
    """Return MaxSim (e, Q) of all elements: the weighted mean of the views that contain each, and its page's best.

    A page has the score of its best view, as a page of text can be in a view because of a picture alone. An element
    that is in no view has the score of the worst element of its page.
    """
    n_queries = next(iter(view_scores.values())).own.shape[1]
    own, own_weight = np.zeros((len(keys), n_queries), np.float32), np.zeros((len(keys), 1), np.float32)
    whole = np.full((len(keys), n_queries), -1.0, np.float32)
    for name, view in view_scores.items():
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


def lexical(text_hits: Sequence[TextHits], keys: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return full-text scores (e, Q) of elements, scaled so that the best of each query is 1."""
    scores = np.zeros((len(keys), len(text_hits)), np.float32)
    for n, hits in enumerate(text_hits):
        if len(hits.keys):
            scores[np.searchsorted(keys, hits.keys), n] = hits.scores / hits.best
    return scores


def on_one_scale(view_scores: Mapping[View, ScoredElements]) -> dict[View, ScoredElements]:
    """Rescale the scores for pixels to those for text, where their vectors come from different models.

    Afterwards the pages that are in both views have the same mean and standard deviation in both.
    """
    text, pixels = view_scores["text"], view_scores["visual"]
    pages = [np.unique(view.keys // ORDINALS, return_index=True) for view in (text, pixels)]
    common, a, b = np.intersect1d(pages[0][0], pages[1][0], return_indices=True)
    if not len(common):
        return dict(view_scores)
    ours, theirs = text.page[pages[0][1][a]], pixels.page[pages[1][1][b]]
    stretch = ours.std(axis=0) / np.maximum(theirs.std(axis=0), 1e-6)
    stretch = np.where(theirs.std(axis=0) > 1e-6, stretch, 1.0)
    shift = ours.mean(axis=0) - stretch * theirs.mean(axis=0)
    own, page = (np.asarray(v * stretch + shift, np.float32) for v in (pixels.own, pixels.page))
    return {"text": text, "visual": ScoredElements(pixels.keys, own, page)}


def pixel_scores(view: ScoredElements, drawn: NDArray[np.bool_]) -> ScoredElements:
    """Return the scores of pages, pictures and tables (`drawn`) in a universal embedder's view, but not of texts."""
    rows = np.flatnonzero((view.keys % ORDINALS == 0) | drawn)
    keys, own = view.keys[rows], view.own[rows]
    if not len(keys):
        return ScoredElements(keys, own, own)
    firsts = np.flatnonzero(np.diff(keys // ORDINALS, prepend=-1))
    best = np.maximum.reduceat(own, firsts, axis=0)
    return ScoredElements(keys, own, np.repeat(best, np.diff(np.append(firsts, len(keys))), axis=0))


def by_view(
    view_scores: Mapping[View, ScoredElements], key: int, element_weight: float
) -> tuple[tuple[str, float], ...]:
    """Return the weighted MaxSim of an element and its page with the first query, for each view that contains it."""
    entries = []
    for view, own in view_scores.items():
        for at in np.flatnonzero(own.keys == key).tolist():
            both = element_weight * own.own[at, 0] + (1 - element_weight) * own.page[at, 0]
            entries.append((view, float(both)))
    return tuple(entries)
