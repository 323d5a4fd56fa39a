"""Rerank the results of a search: a cross-encoder scores the question with each of the best elements."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from indexing import Element, Found, Hit, IndexingError
from plugins.models.cross_encoder import cross_encoder
from rag import trace_span
from ui.show import public_words

RERANKED = 50
"""The number of best elements of a search that are reranked."""


class Reranking:
    """A search of one question whose best elements are reordered; pictures without text keep their places.

    If the model cannot be used, the order stays that of the search, and `notes` say why. `seconds` is its time.
    """

    def __init__(self, search: Callable[[int], Found], question: str, checkpoint: str) -> None:
        """Keep the search, a function of the number of elements, and the folder of the cross-encoder."""
        self._search, self._question, self._checkpoint = search, question, checkpoint
        self._scores: dict[str, float] = {}
        self.notes: tuple[str, ...] = ()
        self.seconds = 0.0

    def __call__(self, limit: int) -> Found:
        """Return the `limit` best elements, and the pages in the order of their best element."""
        results = self._search(max(limit, RERANKED))
        began = time.perf_counter()
        try:
            with trace_span("vouch.rerank"):
                hits = self._rerank(results.hits)
        except IndexingError as error:
            self.notes = (f"The reranker was not used, and the order is that of the search: {public_words(error)}",)
            return self._search(limit)  # a new search, as the limit decides which pages are returned
        self.seconds += time.perf_counter() - began
        order = {(hit.element.doc_id, hit.element.page): n for n, hit in reversed(list(enumerate(hits)))}
        pages = tuple(sorted(results.pages, key=lambda page: order.get((page.doc_id, page.number), len(hits))))
        return replace(results, hits=hits[:limit], pages=pages)

    def _rerank(self, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """Return the hits, the texts among the first RERANKED reordered by their scores."""
        with_text = [n for n, hit in enumerate(hits[:RERANKED]) if hit.element.text.strip()]
        new = [hits[n].element for n in with_text if hits[n].element.id not in self._scores]
        if new:
            scores = cross_encoder(self._checkpoint).relevance(self._question, list(map(_text, new)))
            self._scores |= zip((element.id for element in new), scores.tolist(), strict=True)
        best = sorted(with_text, key=lambda n: -self._scores[hits[n].element.id])
        order = dict(zip(with_text, best, strict=True))
        return tuple(hits[order.get(n, n)] for n in range(len(hits)))


def _text(element: Element) -> str:
    """Return the text of an element that is scored, after the heading and the caption that say what it is about."""
    head = " ".join(part for part in (element.section[-1] if element.section else "", element.caption) if part)
    return f"{head}\n{element.text}" if head else element.text
