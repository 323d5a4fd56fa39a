"""Image documents in search results: each page of an image file counts as one result, with the complete image.

Text that OCR reads on an image has elements of its own, with tight boxes, which are enough for quoting. A model that
writes should see the image itself: so the whole image comes before its first retrieved element, as MAVIS (Song et al.
2025) gives image documents to a model, and all of them count as one of the K results.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace

import numpy as np

from indexing import Collection, Element, Found, Hit

SEARCH_FACTOR = 4
"""The factor by which more elements are looked for, once, where pieces of images leave places free."""


def without_whole_images(search: Callable[[int], Found], most: int) -> Found:
    """Return the `most` best elements; an entire image is among them only if no element on it is.

    `search(n)` returns the n best elements.
    """
    results = search(most)
    whole = sum(hit.element.whole_image for hit in results.hits)
    hits = search(most + whole).hits if whole else results.hits
    with_pieces = {_page(hit.element) for hit in hits if not hit.element.whole_image}
    remaining = [hit for hit in hits if not (hit.element.whole_image and _page(hit.element) in with_pieces)]
    return replace(results, hits=tuple(remaining[:most]))


def with_whole_images(
    collection: Collection, search: Callable[[int], Found], places: int, images: Container[str]
) -> Found:
    """Return the elements for a written answer that fill `places`; a page of a document in `images` takes one place.

    `search` is as in `without_whole_images`. Collections of an older Vouch have no whole images, only elements within
    them.
    """
    results = search(places)
    if len({_place(hit, images) for hit in results.hits}) < places == len(results.hits):
        results = replace(results, hits=search(SEARCH_FACTOR * places).hits)
    ranking = dict.fromkeys(_place(hit, images) for hit in results.hits)
    best = set(list(ranking)[:places])
    hits = [hit for hit in results.hits if _place(hit, images) in best]
    return replace(results, hits=tuple(_whole_images_first(collection, hits, images)))


def _whole_images_first(collection: Collection, hits: Sequence[Hit], images: Container[str]) -> Iterator[Hit]:
    """Yield the hits, each whole image before the first element within it."""
    own = {_page(hit.element): hit for hit in hits if hit.element.whole_image}
    pages = list(dict.fromkeys(_page(hit.element) for hit in hits if hit.element.doc_id in images))
    whole = dict(zip(pages, collection.elements_on(pages), strict=True))
    for hit in hits:
        for element in whole.pop(_page(hit.element), ()):
            if element.whole_image:
                nothing = np.zeros((0, hit.similarities.shape[1]), np.float32), np.zeros((0, 2), np.int32)
                yield own.get(_page(element)) or Hit(element, hit.score, *nothing, found_by=hit.found_by)
        if not hit.element.whole_image:
            yield hit


def _place(hit: Hit, images: Container[str]) -> str | tuple[str, int]:
    """Return the key of what counts as one result: a page of an image file, else an element."""
    return _page(hit.element) if hit.element.doc_id in images else hit.element.id


def _page(element: Element) -> tuple[str, int]:
    return element.doc_id, element.page
