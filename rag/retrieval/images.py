"""Image documents among what was retrieved: each page of an image file takes one place, and is shown whole.

What OCR reads on an image are elements of their own, with tight boxes, which can be cited one by one; quoting needs no
more. A model that writes is to see the image itself: so the whole image stands before the first piece of it that was
found, as MAVIS (Song et al. 2025) gives image documents to a model, and all of them together count as one of the K that
are retrieved.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace

import numpy as np

from indexing import Collection, Element, Found, Hit

SOUGHT = 4
"""The factor by which more elements are looked for, once, where pieces of images leave places free."""


def without_whole_images(search: Callable[[int], Found], most: int) -> Found:
    """Return the best elements, `most` of them, where an image stands whole only if no piece of it was found.

    `search` finds the best elements, as many as it is asked for.
    """
    found = search(most)
    whole = sum(hit.element.whole_image for hit in found.hits)
    hits = search(most + whole).hits if whole else found.hits
    read = {_page(hit.element) for hit in hits if not hit.element.whole_image}
    kept = [hit for hit in hits if not (hit.element.whole_image and _page(hit.element) in read)]
    return replace(found, hits=tuple(kept[:most]))


def with_whole_images(
    collection: Collection, search: Callable[[int], Found], places: int, images: Container[str]
) -> Found:
    """Return what fills so many places of an answer that is written; of documents `images` each page takes one.

    `search` is that of `without_whole_images`. A collection of an older Vouch has no whole images: their pieces stand
    alone.
    """
    found = search(places)
    if len({_place(hit, images) for hit in found.hits}) < places == len(found.hits):
        found = replace(found, hits=search(SOUGHT * places).hits)
    kept = dict.fromkeys(_place(hit, images) for hit in found.hits)
    chosen = set(list(kept)[:places])
    hits = [hit for hit in found.hits if _place(hit, images) in chosen]
    return replace(found, hits=tuple(_led(collection, hits, images)))


def _led(collection: Collection, hits: Sequence[Hit], images: Container[str]) -> Iterator[Hit]:
    """Yield the hits, each whole image before the first of its pieces."""
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
    """Return what takes a place: a page of an image file, or an element."""
    return _page(hit.element) if hit.element.doc_id in images else hit.element.id


def _page(element: Element) -> tuple[str, int]:
    return element.doc_id, element.page
