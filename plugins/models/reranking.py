"""Rerank what a search finds: a cross-encoder reads the question with each of the best pieces, and orders them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from indexing import Element, Found, Hit, IndexingError
from plugins.models.cross_encoder import cross_encoder
from rag import trace_span
from ui.show import public_words

RERANKED = 50
"""The best pieces of a search that are reranked."""


class Reranking:
    """A search of one question whose best pieces are reordered; pictures without text keep their places.

    Where the model cannot be used, the order stays that of the search, and `notes` say why. `seconds` is what it took.
    """

    def __init__(self, search: Callable[[int], Found], question: str, checkpoint: str) -> None:
        """Keep the search, a function of the number of elements, and the folder of the cross-encoder."""
        self._search, self._question, self._checkpoint = search, question, checkpoint
        self._known: dict[str, float] = {}
        self.notes: tuple[str, ...] = ()
        self.seconds = 0.0

    def __call__(self, limit: int) -> Found:
        """Return the `limit` best elements, and the pages in the order of their best element."""
        found = self._search(max(limit, RERANKED))
        began = time.perf_counter()
        try:
            with trace_span("vouch.rerank"):
                hits = self._rerank(found.hits)
        except IndexingError as error:
            self.notes = (f"The reranker was not used, and the order is that of the search: {public_words(error)}",)
            return self._search(limit)  # not the first of more: how many are sought decides which pages are
        self.seconds += time.perf_counter() - began
        order = {(hit.element.doc_id, hit.element.page): n for n, hit in reversed(list(enumerate(hits)))}
        pages = tuple(sorted(found.pages, key=lambda page: order.get((page.doc_id, page.number), len(hits))))
        return replace(found, hits=hits[:limit], pages=pages)

    def _rerank(self, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        with_text = [n for n, hit in enumerate(hits[:RERANKED]) if hit.element.text.strip()]
        new = [hits[n].element for n in with_text if hits[n].element.id not in self._known]
        if new:
            scores = cross_encoder(self._checkpoint).relevance(self._question, list(map(_text, new)))
            self._known |= zip((element.id for element in new), scores.tolist(), strict=True)
        best = sorted(with_text, key=lambda n: -self._known[hits[n].element.id])
        places = dict(zip(with_text, best, strict=True))
        return tuple(hits[places.get(n, n)] for n in range(len(hits)))


def _text(element: Element) -> str:
    """Return what is read of an element: its text, after the heading and the caption that say what it is about."""
    head = " ".join(part for part in (element.section[-1] if element.section else "", element.caption) if part)
    return f"{head}\n{element.text}" if head else element.text
