"""Choose the pages that a model is shown: the best that a search found, and those that a second look adds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest

from indexing import Collection
from rag.errors import TooManyPages
from rag.options import Question
from rag.retrieval.retrieve import Retrieved, document_scope
from rag.types import RankedPage

Place = tuple[str, int]
"""A page: the id of its document and its number, from 1."""
MOST_READ = 500
"""The most pages that are read for one question where every page is to be read."""
LEAST, MOST = 4, 6
"""The least and the most pages that are shown where the settings leave the number to the model's images."""


def pages_shown(count: int | None, images: int) -> int:
    """Return how many pages to show a model: `count`, else as many as the `images` it takes, from LEAST to MOST."""
    return count or min(max(LEAST, images), MOST)


def best_pages(results: Retrieved, count: int) -> tuple[RankedPage, ...]:
    """Return the best pages, so many at most, best first."""
    return results.pages[:count]


def every_page(collection: Collection, question: Question) -> tuple[RankedPage, ...]:
    """Return all pages of the documents that a question is restricted to, in their order.

    Raises TooManyPages without such documents, or where they have more than MOST_READ pages.
    """
    documents = [collection.document(doc_id) for doc_id in document_scope(collection, question)]
    pages = sum(document.n_pages for document in documents)
    if not documents:
        raise TooManyPages("every page of which documents? Choose those that are to be read (--doc NAME)")
    if pages > MOST_READ:
        raise TooManyPages(
            f"the chosen documents have {pages:,} pages, and at most {MOST_READ} can be read for one question: choose "
            "fewer documents, or ask without --every-page"
        )
    return tuple(RankedPage(d.id, d.name, n, 0.0) for d in documents for n in range(1, d.n_pages + 1))


def in_order(pages: Sequence[RankedPage]) -> tuple[RankedPage, ...]:
    """Return pages in the order of their documents, the document of the best page first."""
    documents = list(dict.fromkeys(page.doc_id for page in pages))
    return tuple(sorted(pages, key=lambda page: (documents.index(page.doc_id), page.number)))


def further_pages(
    collection: Collection,
    searches: Sequence[Retrieved],
    shown_pages: Sequence[RankedPage],
    cited_places: Iterable[Place],
    wanted_places: Iterable[Place],
    count: int,
) -> tuple[RankedPage, ...]:
    """Return at most `count` pages to show next: cited ones, and new ones; empty if no page is new.

    The new pages are, in this order: those that the model asks for by number; those next to the cited ones, where a
    table or list may continue; and the best pages of the `searches`, the last search first.
    """
    by_place = {(page.doc_id, page.number): page for page in shown_pages}
    cited_pages = [by_place[place] for place in dict.fromkeys(cited_places) if place in by_place][: max(1, count // 2)]
    asked_for = [page for place in wanted_places for page in _page(collection, shown_pages, *place)]
    around = [page for one in cited_pages for page in _neighbouring_pages(collection, one)]
    search_pages = chain.from_iterable(zip_longest(*(search.pages for search in reversed(searches))))
    new: dict[Place, RankedPage] = {}
    for page in chain(asked_for, around, (page for page in search_pages if page is not None)):
        if (page.doc_id, page.number) not in by_place:
            new.setdefault((page.doc_id, page.number), page)
    room = list(new.values())[: count - len(cited_pages)]
    return (*cited_pages, *room) if room else ()


def _page(collection: Collection, shown_pages: Sequence[RankedPage], doc_id: str, number: int) -> list[RankedPage]:
    """Return a page of a document of which pages were shown; nothing where the document has no such page."""
    same = next((page for page in shown_pages if page.doc_id == doc_id), None)
    there = same is not None and 1 <= number <= collection.document(doc_id).n_pages
    return [RankedPage(doc_id, same.document, number, same.score)] if same is not None and there else []


def _neighbouring_pages(collection: Collection, page: RankedPage) -> list[RankedPage]:
    """Return the page after a page, and the one before it, where there are any."""
    return [near for n in (page.number + 1, page.number - 1) for near in _page(collection, [page], page.doc_id, n)]
