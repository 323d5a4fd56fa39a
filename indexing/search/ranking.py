"""The ranking of candidates, of one shard or of several: their scores are merged, then weighed against one another.

An element's score is the sum of the scores of its text and its page's pixels (their weighted mean in mode multi, on one
scale; a universal embedder has both in one space, and is asked once), of its full-text match, and of bonuses for its
page when the question says where to look. Several queries are scored together: the first counts as much as the best of
the others. A page's score is that of its best element. What is relative to other candidates (the scale of pixels, the
best full-text match, the best document) is told from those of all shards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing.embed import VisualKind
from indexing.search.fusion import combine_views, lexical, on_one_scale, pixel_scores
from indexing.search.index_arrays import ORDINALS
from indexing.search.page_vectors import ScoredElements
from indexing.search.shard import Candidates, TextHits
from indexing.settings import Mode, SearchSettings
from indexing.types import PageHit, View

LEAST_PAGES = 20
"""The number of pages that are returned even where fewer elements are asked for."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The elements (`keys` (e,)) with their scores (e,), and with their scores by each query (e, Q)."""

    keys: NDArray[np.int64]
    scores: NDArray[np.float32]
    by_query: NDArray[np.float32]

    def best(self, limit: int) -> NDArray[np.int64]:
        """Return the places of the best elements that are more than a page, best first."""
        order = np.argsort(-self.scores, kind="stable")
        return order[self.keys[order] % ORDINALS > 0][:limit]

    def queries_of_best(self, at: int, limit: int) -> tuple[int, ...]:
        """Return the queries, from 0, that have an element among their own best; at least one."""
        better = (self.by_query > self.by_query[at]).sum(axis=0)
        return tuple(np.flatnonzero(better < limit).tolist()) or (int(np.argmin(better)),)

    def pages(self, candidates: Candidates, limit: int) -> tuple[PageHit, ...]:
        """Return the best pages, each by its best element."""
        order = np.argsort(-self.scores, kind="stable")
        pages, firsts = np.unique(self.keys[order] // ORDINALS, return_index=True)
        top = np.argsort(firsts)[: max(limit, LEAST_PAGES)]
        return tuple(
            PageHit(
                candidates.doc_ids[candidates.doc[page]],
                int(candidates.number[page]),
                float(self.scores[order[at]]),
            )
            for page, at in zip(pages[top].tolist(), firsts[top].tolist(), strict=True)
        )


def merge_candidates(parts: Sequence[Candidates]) -> Candidates:
    """Return the candidates of several shards (one at least) as those of one, in the order of the shards."""
    if len(parts) == 1:
        return parts[0]
    pages = np.cumsum([0, *(len(c.doc) for c in parts)])
    documents = np.cumsum([0, *(len(c.doc_ids) for c in parts)])
    at = [first * ORDINALS for first in pages[:-1].tolist()]
    views: list[View] = list(parts[0].view_scores)
    return Candidates(
        states=tuple(c.states[0] for c in parts),
        doc_ids=tuple(doc for c in parts for doc in c.doc_ids),
        positions=np.concatenate([c.positions for c in parts]),
        shard=np.repeat(np.arange(len(parts), dtype=np.int32), np.diff(pages)),
        doc=np.concatenate([c.doc + n for c, n in zip(parts, documents[:-1].tolist(), strict=True)]).astype(np.int32),
        number=np.concatenate([c.number for c in parts]),
        bonus=np.concatenate([c.bonus for c in parts]),
        keys=np.concatenate([c.keys + n for c, n in zip(parts, at, strict=True)]),
        view_scores={view: _one_view([c.view_scores[view] for c in parts], at) for view in views},
        drawn=np.concatenate([c.drawn for c in parts]),
        text_hits=tuple(
            _one_query([c.text_hits[n] for c in parts], at) for n in range(len(parts[0].text_hits))
        ),
    )  # fmt: skip


def _one_view(view_scores: Sequence[ScoredElements], at: Sequence[int]) -> ScoredElements:
    keys = np.concatenate([s.keys + n for s, n in zip(view_scores, at, strict=True)])
    return ScoredElements(
        keys, np.concatenate([s.own for s in view_scores]), np.concatenate([s.page for s in view_scores])
    )


def _one_query(hits: Sequence[TextHits], at: Sequence[int]) -> TextHits:
    keys = np.concatenate([h.keys + n for h, n in zip(hits, at, strict=True)])
    return TextHits(keys, np.concatenate([h.scores for h in hits]), max(h.best for h in hits))


def rank_candidates(
    candidates: Candidates, settings: SearchSettings, mode: Mode, visual_kind: VisualKind | None, queries: int
) -> Ranking:
    """Return all elements of the candidates with their scores; `queries` is the number of forms of the question."""
    s, keys, view_scores = settings, candidates.keys, candidates.view_scores
    if not len(keys):
        return Ranking(keys, np.zeros(0, np.float32), np.zeros((0, queries), np.float32))
    page = keys // ORDINALS
    firsts = np.flatnonzero(np.diff(page, prepend=-1))
    counts = np.diff(np.append(firsts, len(keys)))
    pixels = s.read_weight if visual_kind == "words" else s.visual_weight
    weights: dict[View, float] = {"text": 1 - pixels, "visual": pixels}
    if len(view_scores) == 1:
        weights = dict.fromkeys(view_scores, 1.0)
    elif visual_kind == "patches":
        view_scores = on_one_scale(view_scores)
    if visual_kind == "space" and mode == "image":
        view_scores = {"visual": pixel_scores(view_scores["visual"], candidates.drawn)}
    by_query = combine_views(view_scores, weights, keys, firsts, counts, s.element_weight)
    if candidates.text_hits:
        words = lexical(candidates.text_hits, keys)
        whole = np.repeat(np.maximum.reduceat(words, firsts, axis=0), counts, axis=0)
        by_query += s.full_text_weight * (s.element_weight * words + (1 - s.element_weight) * whole)
    scores = by_query[:, 0]
    if by_query.shape[1] > 1:
        scores = (1 - s.variant_weight) * scores + s.variant_weight * by_query[:, 1:].max(axis=1)
    doc = candidates.doc[page]
    if len(candidates.doc_ids) > 1:
        best = np.full(len(candidates.doc_ids), -1.0, np.float32)
        np.maximum.at(best, doc, scores)
        scores = scores + s.document_weight * (best[doc] - best.max())  # nothing for those of the best document
    return Ranking(keys, (scores + candidates.bonus[page]).astype(np.float32), by_query)
