"""A tally: on which pages of some documents something stands, and how often, with the elements of the first of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from indexing import Collection, Document, Element

MOST_PAGES = 100_000
"""The most pages that are gone through for one question: some four seconds on two cores."""


@dataclass(frozen=True, slots=True)
class PageTally:
    """Pages (document, number from 1) in the order of documents and pages, each with how often it has it."""

    pages: tuple[tuple[Document, int, int], ...]

    @property
    def number(self) -> int:
        """How often it stands on all pages together."""
        return sum(times for _, _, times in self.pages)

    def elements(self, collection: Collection, most: int) -> Iterator[tuple[Document, Element]]:
        """Yield the elements of the first `most` pages, whole, in reading order. Raises CollectionDamaged."""
        first = self.pages[:most]
        pages_read = collection.elements_on([(document.id, number) for document, number, _ in first])
        for (document, _, _), own in zip(first, pages_read, strict=True):
            yield from ((document, element) for element in own)


def tally(documents: Sequence[Document], elements: Iterable[Element], times: Callable[[Element], int]) -> PageTally:
    """PageTally how many `times` each of some elements has what is counted; those of other documents do not count."""
    places = {document.id: at for at, document in enumerate(documents)}
    times_by_page: dict[tuple[int, int], int] = {}
    for element in elements:
        at = places.get(element.doc_id)
        if at is not None and (number := times(element)):
            times_by_page[at, element.page] = times_by_page.get((at, element.page), 0) + number
    return PageTally(tuple((documents[at], page, number) for (at, page), number in sorted(times_by_page.items())))
