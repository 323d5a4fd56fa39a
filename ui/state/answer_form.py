"""Stored answers: as versioned JSON, and shown again with each citation at its current place in the collection.

Each citation has an anchor, by which its place is found again after re-indexing. What the page never displays is left
out: the words and cells of the evidence, and the box that a model drew.

A box is unchanged if its document is the same file and still has the cited element. Otherwise the anchor is resolved:
the words may be on another page of a new version. If no place is found, the reason of the sentence says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from indexing import BBox, DocumentMissing, Element
from rag import (
    Anchor,
    AnchorError,
    Answer,
    Citation,
    Evidence,
    Question,
    RankedPage,
    Sentence,
    Usage,
    anchor_of,
    resolve,
)
from ui.errors import KeptUnreadable

if TYPE_CHECKING:
    from indexing import Collection, Document


VERSION = 1
"""The version that is written, and read."""
_MOST_JSON = 8_000_000
"""The most characters of a stored answer."""


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """An answer as it is stored, with its question; `anchors` are those of `answer.citations`, "" for one without.

    `visual_queries` are the image-seeking forms of the queries. The image of a question is not stored:
    `question.image` is its file name.
    """

    collection: str
    question: Question
    answer: Answer
    anchors: tuple[str, ...]
    visual_queries: tuple[str, ...] = ()


def written_form(form: AnswerForm) -> str:
    """Serialize an answer as JSON. Raises KeptUnreadable for one that is too large to store."""
    answer, question = form.answer, form.question
    places = {citation: n for n, citation in enumerate(answer.citations)}
    anchors = (*form.anchors, *[""] * (len(places) - len(form.anchors)))
    plain = ("question", "mode", "confidence", "timings", "settings_hash", "queries", "method")
    values = {
        "version": VERSION,
        "collection": form.collection,
        "asked": {**asdict(question), "image": Path(question.image).name if question.image else None},
        "visual_queries": list(form.visual_queries),
        "citations": [{**c.to_json(), "anchor": a} for c, a in zip(places, anchors, strict=True)],
        "sentences": [_sentence(s, [places[c] for c in s.citations]) for s in answer.sentences],
        "evidence": [_evidence(e) for e in answer.evidence],
        "pages": [asdict(page) for page in answer.pages],
        "usage": asdict(answer.usage),
        **{name: getattr(answer, name) for name in (*plain, "notes", "nothing", "model", "missing")},
    }
    text = json.dumps(values, ensure_ascii=True, separators=(",", ":"))
    if len(text) > _MOST_JSON:
        raise KeptUnreadable("this answer is too large to be saved: export it, or retrieve less (top_k)")
    return text


_CITATION, _SENTENCE, _QUESTION = TypeAdapter(Citation), TypeAdapter(Sentence), TypeAdapter(Question)
_PAGES, _USAGE, _TEXTS = TypeAdapter(tuple[RankedPage, ...]), TypeAdapter(Usage), TypeAdapter(tuple[str, ...])


def read_form(text: str) -> AnswerForm:
    """Deserialize the JSON of `written_form`. Raises KeptUnreadable for other text, and for a newer version."""
    try:
        values = json.loads(text)
        if values["version"] > VERSION:
            raise KeptUnreadable("this answer was saved by a newer version of Vouch: use that version")
        return _form(values)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise KeptUnreadable(f"this saved answer cannot be read ({type(error).__name__}): ask again") from None


def _form(values: Mapping[str, Any]) -> AnswerForm:
    """Return the answer in the decoded JSON of `written_form`."""
    citations = [_read_citation(c) for c in values["citations"]]
    answer = Answer(
        question=str(values["question"]),
        mode=values["mode"],
        sentences=tuple(_read_sentence(s, citations) for s in values["sentences"]),
        evidence=tuple(_read_evidence(e) for e in values["evidence"]),
        confidence=float(values["confidence"]),
        timings={str(k): float(v) for k, v in values["timings"].items()},
        settings_hash=str(values["settings_hash"]),
        queries=_TEXTS.validate_python(values["queries"]),
        pages=_PAGES.validate_python(values["pages"]),
        method=str(values["method"]),
        usage=_USAGE.validate_python(values["usage"]),
        notes=_TEXTS.validate_python(values["notes"]),
        nothing=str(values["nothing"]),
        model=str(values["model"]),
        missing=str(values["missing"]),
    )
    anchors = {_place(c): str(one["anchor"]) for c, one in zip(citations, values["citations"], strict=True)}
    return AnswerForm(
        str(values["collection"]),
        _QUESTION.validate_python(values["asked"]),
        answer,
        tuple(anchors[_place(c)] for c in answer.citations),
        _TEXTS.validate_python(values["visual_queries"]),
    )


def _sentence(one: Sentence, cites: Sequence[int]) -> dict[str, Any]:
    """Return a sentence as JSON values; `cites` are the indices of its citations in the list of the answer's."""
    values = asdict(replace(one, citations=()))
    del values["citations"]
    return {"text": values.pop("text"), "cites": list(cites), **values}


def _read_sentence(values: Mapping[str, Any], citations: Sequence[Citation]) -> Sentence:
    return _SENTENCE.validate_python({**values, "citations": [citations[n] for n in values["cites"]]})


def _place(citation: Citation) -> Citation:
    """Return a citation with the role `proves`, as a key: roles of one place differ from sentence to sentence."""
    return replace(citation, role="proves")


def _read_citation(values: Mapping[str, Any]) -> Citation:
    boxes = {name: [BBox(*box) for box in values[name]] for name in ("boxes", "context")}
    return _CITATION.validate_python({**values, **boxes, "bbox": BBox(*values["bbox"])})


def _evidence(one: Evidence) -> dict[str, Any]:
    e = one.element
    names = ("id", "doc_id", "page", "kind", "text", "source", "caption", "place")
    return {
        "label": one.label,
        "document": one.document,
        "score": one.score,
        "found_by": list(one.found_by),
        "knowledge": one.knowledge,
        "by_view": [list(pair) for pair in one.by_view],
        "element": {
            **{name: getattr(e, name) for name in names},
            "bbox": list(e.bbox.as_tuple()),
            "section": list(e.section),
        },
    }


def _read_evidence(values: Mapping[str, Any]) -> Evidence:
    e = values["element"]
    element = Element(
        str(e["id"]),
        str(e["doc_id"]),
        int(e["page"]),
        e["kind"],
        str(e["text"]),
        BBox(*e["bbox"]),
        e["source"],
        _TEXTS.validate_python(e["section"]),
        str(e["caption"]),
        place=str(e["place"]),
    )
    return Evidence(
        str(values["label"]),
        element,
        str(values["document"]),
        float(values["score"]),
        tuple(map(int, values["found_by"])),
        str(values["knowledge"]),
        tuple((str(view), float(score)) for view, score in values["by_view"]),
    )


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
