"""Show stored answers again, with each citation at its current place in the collection.

A box is unchanged if its document is the same file and still has the cited element. Otherwise the anchor is resolved:
the words may be on another page of a new version. If no place is found, the reason of the sentence says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexing import DocumentMissing
from rag import Anchor, AnchorError, Answer, Citation, anchor_of, resolve

if TYPE_CHECKING:
    from indexing import Collection, Document, Element
    from rag import Sentence
    from ui.state.answer_form import AnswerForm


@dataclass(frozen=True, slots=True)
class _Place:
    """A citation at its current place, None if it has none; `says` is what changed, "" if nothing did."""

    citation: Citation | None
    says: str = ""


def anchors_of(answer: Answer, collection: Collection) -> tuple[str, ...]:
    """Return the anchors of `answer.citations`, "" for one whose document or page is gone."""
    documents = {document.id: document for document in collection.documents()}
    return tuple(_anchor(citation, documents, collection) for citation in answer.citations)


def _anchor(citation: Citation, documents: Mapping[str, Document], collection: Collection) -> str:
    document = documents.get(citation.doc_id)
    if document is None:
        return ""
    try:
        return str(anchor_of(citation, document, collection.page(document.id, citation.page)))
    except (DocumentMissing, ValueError):
        return ""


def relocate_citations(form: AnswerForm, collection: Collection | None) -> Answer:
    """Return a stored answer with its citations at their current places; `collection` is None if it no longer exists.

    A citation without a place is left out; the reason of its sentence and a note of the answer say why. Raises
    IndexingError if the collection cannot be read.
    """
    answer = form.answer
    if collection is None:
        message = f"the collection {form.collection} no longer exists, so no box is shown"
        places = dict.fromkeys(answer.citations, _Place(None, message))
    else:
        now = _Now(collection)
        places = {c: now.place(c, anchor) for c, anchor in zip(answer.citations, form.anchors, strict=True)}
    notes = tuple(dict.fromkeys(f"Since this was answered: {p.says}." for p in places.values() if p.says))
    if not notes and all(p.citation == c for c, p in places.items()):
        return answer
    sentences = tuple(_move_citations(sentence, places) for sentence in answer.sentences)
    return replace(answer, sentences=sentences, notes=(*answer.notes, *notes))


def _move_citations(sentence: Sentence, places: Mapping[Citation, _Place]) -> Sentence:
    """Return a sentence with the citations that still have a place; its reason says what changed."""
    own = [places[c] for c in sentence.citations]
    reasons = dict.fromkeys((sentence.reason, *(p.says for p in own)))
    citations = tuple(dict.fromkeys(p.citation for p in own if p.citation))
    return replace(sentence, citations=citations, reason="; ".join(filter(None, reasons)))


class _Now:
    """A collection in its current state, which finds citations again; each page is read once."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._documents = {document.id: document for document in collection.documents()}
        self._pages: dict[tuple[str, int], Mapping[str, Element]] = {}

    def place(self, citation: Citation, anchor: str) -> _Place:
        """Return a citation at its current place: unchanged, or where its anchor is resolved to."""
        document = self._documents.get(citation.doc_id)
        if document is not None and self._has(document, citation):
            return _Place(citation)
        try:
            result = resolve(Anchor.parse(anchor), self._collection)
        except AnchorError:  # lost, or never made
            return _Place(None, self._why_missing(citation, document))
        if result.citation is None:
            return _Place(None, self._why_missing(citation, document))
        current = result.citation
        new_citation = replace(
            citation,
            element_id=current.element_id,
            doc_id=current.doc_id,
            document=current.document,
            page=current.page,
            kind=current.kind,
            bbox=current.bbox,
            boxes=current.boxes,
            context=(),
            place=current.place,
        )
        return _Place(new_citation, result.says.rstrip(".") if result.state == "changed" else "")

    def _has(self, document: Document, citation: Citation) -> bool:
        """Return True if the cited element still exists in `document`, on the same page with the same box."""
        if citation.page > document.n_pages:
            return False
        key = (document.id, citation.page)
        if key not in self._pages:
            self._pages[key] = {e.id: e for e in self._collection.page_elements(*key)}
        element = self._pages[key].get(citation.element_id)
        return element is not None and element.bbox.iou(citation.bbox) > 0.999

    def _why_missing(self, citation: Citation, document: Document | None) -> str:
        if document is not None:
            return (
                f"{citation.document} is now read differently, and the cited words were not found, so no box is shown"
            )
        if any(d.name == citation.document for d in self._documents.values()):
            return (
                f"{citation.document} has changed, and the cited words were not found, or more than once, so no box is "
                "shown"
            )
        return f"{citation.document} is no longer in this collection, so no box is shown"
