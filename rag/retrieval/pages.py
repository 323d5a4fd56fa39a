"""Choose the pages that a model is shown: the best that a search found, and those that a second look adds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest

from indexing import Collection
from rag.retrieval.retrieve import Retrieved
from rag.types import RankedPage

Place = tuple[str, int]
"""A page: the id of its document and its number, from 1."""
LEAST, MOST = 4, 6
"""The least and the most pages that are shown where the settings leave the number to the model's images."""


def pages_shown(wanted: int | None, images: int) -> int:
    """Return how many pages a model is shown: as many as are wanted, else as many as it takes images, within bounds."""
    return wanted or min(max(LEAST, images), MOST)


def best_pages(found: Retrieved, count: int) -> tuple[RankedPage, ...]:
    """Return the best pages, so many at most, best first."""
    return found.pages[:count]


def in_order(pages: Sequence[RankedPage]) -> tuple[RankedPage, ...]:
    """Return pages in the order of their documents, the document of the best page first."""
    documents = list(dict.fromkeys(page.doc_id for page in pages))
    return tuple(sorted(pages, key=lambda page: (documents.index(page.doc_id), page.number)))


def further_pages(
    collection: Collection,
    first: Retrieved,
    again: Retrieved,
    shown: Sequence[RankedPage],
    cited: Iterable[Place],
    count: int,
) -> tuple[RankedPage, ...]:
    """Return the pages of a second look, so many at most: those that were cited, and new ones; none if none is new.

    New are the pages around those that were cited, where a table or list may go on, then in turn the best that the
    search for what is missing found (`again`) and the next best of the first search.
    """
    known = {(page.doc_id, page.number): page for page in shown}
    kept = [known[place] for place in dict.fromkeys(cited) if place in known][: max(1, count // 2)]
    around = [page for one in kept for page in _around(collection, one)]
    searched = chain.from_iterable(zip_longest(again.pages, first.pages))
    new: dict[Place, RankedPage] = {}
    for page in chain(around, (page for page in searched if page is not None)):
        if (page.doc_id, page.number) not in known:
            new.setdefault((page.doc_id, page.number), page)
    room = list(new.values())[: count - len(kept)]
    return (*kept, *room) if room else ()


def _around(collection: Collection, page: RankedPage) -> list[RankedPage]:
    """Return the page after a page, and the one before it, where there are any."""
    last = collection.document(page.doc_id).n_pages
    numbers = [n for n in (page.number + 1, page.number - 1) if 1 <= n <= last]
    return [RankedPage(page.doc_id, page.document, n, page.score) for n in numbers]
