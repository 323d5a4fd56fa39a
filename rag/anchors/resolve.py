"""Resolve an anchor to its current place: after re-indexing, in another collection, or after the file was moved.

Document and quote are identified by their hashes. A place is returned only if one of the two proves it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from indexing import DocumentMissing, Element
from rag.anchors.anchor import Anchor, anchor_name
from rag.anchors.fingerprint import Occurrence, find_quote
from rag.errors import AnchorLost
from rag.types import Citation, Evidence

if TYPE_CHECKING:
    from indexing import Collection, Document

State = Literal["found", "placed", "changed"]
SAME_SIZE = 0.5
"""The points by which a page may differ from the anchor's and still be the same page."""
_REFLOWED = (".epub",)
"""The formats without pages of their own: another version of the converter may break them elsewhere."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The outcome for an anchor.

    `state` is `found` (same document, and the very words), `placed` (same document, same page, nothing quoted or the
    words were read differently: the anchor's own box holds, since the file is the same), or `changed` (a document of
    that name with other content). `citation` is the place today; None when a changed document no longer holds the
    words, or holds them more than once.
    """

    anchor: Anchor
    state: State
    document: Document
    citation: Citation | None

    @property
    def says(self) -> str:
        """The outcome as a sentence for the user."""
        name, page = self.document.name, self.anchor.page
        if self.state == "changed":
            if self.citation is None:
                return (
                    f"{name} has changed: the cited words are no longer found, or stand in several places, so "
                    "no place is shown."
                )
            return f"{name} has changed, but the same words stand on page {self.citation.page}."
        if self.state == "placed":
            return f"{name}, page {page}: the same page of the same file; its words were not compared."
        now = self.citation.page if self.citation else page
        note = "" if now == page else f" (page {page} when it was cited)"
        return f"{name}, page {now}{note}: the same words in the same file."


def resolve(anchor: Anchor, collection: Collection) -> Resolved:
    """Find an anchor's place in a collection.

    Raise AnchorLost when neither its document nor one of its name is there, or when the document is laid out
    differently today and its words are not found.
    """
    documents = collection.documents()
    same = next((d for d in documents if d.sha256 == anchor.sha256), None)
    if same is not None:
        return _in_same(anchor, collection, same)
    same_name = [d for d in documents if anchor_name(d.name) == anchor.name]
    if not same_name:
        raise AnchorLost(
            f"{anchor.name or 'the document'} (sha256 {anchor.sha256[:16]}...) is not in collection "
            f"{collection.name!r}, under any name: index it, or choose another collection"
        )
    return _in_changed(anchor, collection, same_name)


def _in_same(anchor: Anchor, collection: Collection, document: Document) -> Resolved:
    """Resolve by the quote nearest to the anchor's box, else its only occurrence, else the box. Raises AnchorLost."""
    on_page = find_quote(_elements(collection, document, anchor.page), anchor.length, anchor.digest)
    if on_page:
        best = min(on_page, key=lambda candidate: _distance(anchor, candidate))
        return Resolved(anchor, "found", document, _cite(document, best))
    elsewhere = list(_search(anchor, collection, document))
    if len(elsewhere) == 1:
        return Resolved(anchor, "found", document, _cite(document, elsewhere[0]))
    if not _same_page(anchor, collection, document):
        raise AnchorLost(
            f"{document.name} is in the collection, but its pages were cut differently and the words are not "
            "found: ask again, and keep the anchor of the new answer"
        )
    elements = _elements(collection, document, anchor.page)
    element = max(elements, key=lambda e: e.bbox.iou(anchor.bbox), default=None)
    ident = element.id if element is not None and element.bbox.iou(anchor.bbox) >= 0.5 else ""
    place = Element(ident, document.id, anchor.page, "text", "", anchor.bbox, "layer")
    citation = Citation.of(Evidence("", place, document.name, 1.0), "", ())
    return Resolved(anchor, "placed", document, replace(citation, kind=anchor.kind))


def _in_changed(anchor: Anchor, collection: Collection, same_name: list[Document]) -> Resolved:
    """Resolve by the quote, if it occurs exactly once in the documents of the same name; else without a citation."""
    matches = [(d, place) for d in same_name for place in _search(anchor, collection, d)]
    once = {(d.id, place.elements[0].page, place.quote, _where(place)) for d, place in matches}
    if len(once) != 1:
        return Resolved(anchor, "changed", same_name[-1], None)
    document, best = min(matches, key=lambda at: _distance(anchor, at[1]))
    return Resolved(anchor, "changed", document, _cite(document, best))


def _search(anchor: Anchor, collection: Collection, document: Document) -> Iterator[Occurrence]:
    """Yield the quote's occurrences on all pages, without groups, which only repeat the text of their members."""
    if not anchor.length:
        return
    for page in range(1, document.n_pages + 1):
        elements = [e for e in _elements(collection, document, page) if e.kind != "group"]
        yield from find_quote(elements, anchor.length, anchor.digest)


def _elements(collection: Collection, document: Document, page: int) -> tuple[Element, ...]:
    return collection.page_elements(document.id, page) if page <= document.n_pages else ()


def _same_page(anchor: Anchor, collection: Collection, document: Document) -> bool:
    """Return True if the page of that number still has the size and rotation that the box was measured on."""
    if document.name.lower().endswith(_REFLOWED):
        return False
    try:
        page = collection.page(document.id, anchor.page)
    except DocumentMissing:
        return False
    apart = max(abs(page.width - anchor.width), abs(page.height - anchor.height))
    return apart <= SAME_SIZE and page.rotation % 360 == anchor.rotation


def _distance(anchor: Anchor, occurrence: Occurrence) -> tuple[bool, float, float]:
    """Return the key that sorts the nearest first: by kind, by the corners of the lines, then the smaller element."""
    corners = zip(anchor.bbox.as_tuple(), occurrence.bbox.as_tuple(), strict=True)
    apart = round(sum(abs(a - b) for a, b in corners), 3)
    return occurrence.elements[0].kind != anchor.kind, apart, occurrence.elements[0].bbox.area


def _where(occurrence: Occurrence) -> tuple[float, ...]:
    return tuple(round(v, 4) for v in occurrence.bbox.as_tuple())


def _cite(document: Document, occurrence: Occurrence) -> Citation:
    """Return a citation, without a label, of a quote at its current place."""
    element = occurrence.elements[0]
    return Citation.of(Evidence("", element, document.name, 1.0), occurrence.quote, occurrence.boxes)
