"""Serialize answers as versioned JSON, so that answers of older versions of Vouch remain readable. Pure.

Each citation has an anchor, by which its place is found again after re-indexing. What the page never displays is left
out: the words and cells of the evidence, and the box that a model drew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

from indexing import BBox, Element
from rag import (
    OLDER_VERDICTS,
    Answer,
    Citation,
    CitedSource,
    Conflict,
    Evidence,
    Question,
    RankedPage,
    Sentence,
    Usage,
    Verdict,
)
from ui.errors import KeptUnreadable

VERSION = 1
"""The version that is written. A reader knows it and all before it."""
_MOST_JSON = 8_000_000
"""The most characters of a stored answer."""


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """An answer with its question and options; `anchors` are those of `answer.citations`, "" for one without.

    `visual_queries` are the image-seeking forms of the queries. The image that went with a question is not kept:
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
        **{name: getattr(answer, name) for name in _PLAIN},
    }
    text = json.dumps(values, ensure_ascii=True, separators=(",", ":"))
    if len(text) > _MOST_JSON:
        raise KeptUnreadable("this answer is too large to be saved: export it, or retrieve less (top_k)")
    return text


_PLAIN = (
    "question",
    "mode",
    "confidence",
    "timings",
    "settings_hash",
    "queries",
    "method",
    "notes",
    "nothing",
    "model",
    "missing",
)
_OPTIONS = ("mode", "top_k", "queries", "image", "method", "extract", "model", "where")


def read_form(text: str) -> AnswerForm:
    """Deserialize the JSON of `written_form`, of any version up to this one. Raises KeptUnreadable for other text."""
    try:
        values = json.loads(text)
        if values["version"] > VERSION:
            raise KeptUnreadable("this answer was saved by a newer version of Vouch: use that version")
        return _form(values)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise KeptUnreadable(f"this saved answer cannot be read ({type(error).__name__}): ask again") from None


def _form(values: Mapping[str, Any]) -> AnswerForm:
    citations = [_citation(c) for c in values["citations"]]
    question = dict(values["asked"])
    options: dict[str, Any] = {name: question.get(name) for name in _OPTIONS}
    options |= {name: tuple(question.get(name) or ()) for name in ("documents", "earlier")}
    options["pages"] = tuple((str(doc_id), int(number)) for doc_id, number in question.get("pages") or ())
    options["every_page"] = bool(question.get("every_page", False))
    answer = Answer(
        question=str(values["question"]),
        mode=values["mode"],
        sentences=tuple(_read_sentence(s, citations) for s in values["sentences"]),
        evidence=tuple(_read_evidence(e) for e in values["evidence"]),
        confidence=float(values["confidence"]),
        timings={str(k): float(v) for k, v in values["timings"].items()},
        settings_hash=str(values["settings_hash"]),
        queries=tuple(map(str, values["queries"])),
        pages=tuple(RankedPage(**page) for page in values.get("pages", ())),
        method=values["method"],
        usage=Usage(**values.get("usage", {})),
        notes=tuple(map(str, values.get("notes", ()))),
        nothing=str(values.get("nothing", "")),
        model=str(values.get("model", "")),
        missing=str(values.get("missing", "")),
    )
    order = {_place(c): str(t.get("anchor", "")) for c, t in zip(citations, values["citations"], strict=True)}
    return AnswerForm(
        str(values["collection"]),
        Question(str(question["text"]), **options),
        answer,
        tuple(order[_place(c)] for c in answer.citations),
        tuple(map(str, values.get("visual_queries", ()))),
    )


def _sentence(one: Sentence, cites: Sequence[int]) -> dict[str, Any]:
    return {
        "text": one.text,
        "cites": list(cites),
        "verdict": one.verdict,
        "checked_by": one.checked_by,
        "reason": one.reason,
        "answers": one.answers,
        "beside": one.beside,
        "short": list(one.short) if one.short else None,
        "differs": one.differs,
        "near_miss": one.near_miss,
        "conflict": one.conflict.to_json() if one.conflict else None,
        "certainty": one.certainty,
        "sources": [asdict(source) for source in one.sources],
    }


def _read_sentence(values: Mapping[str, Any], citations: Sequence[Citation]) -> Sentence:
    conflict, short = values.get("conflict"), values.get("short")
    verdict = _verdict(values["verdict"])
    cites = [citations[n] for n in values["cites"]]
    if "checked_by" not in values and verdict not in ("quoted", "computed", "confirmed"):
        cites = [c if c.against else replace(c, role="unconfirmed") for c in cites]  # older answers have no roles
    return Sentence(
        text=str(values["text"]),
        citations=tuple(cites),
        verdict=verdict,
        checked_by=values.get("checked_by", ""),
        reason=str(values.get("reason", "")),
        answers=values.get("answers"),
        beside=bool(values.get("beside", False)),
        short=(int(short[0]), int(short[1])) if short else None,
        differs=str(values.get("differs", "")),
        near_miss=str(values.get("near_miss", "")),
        conflict=_conflict(conflict) if conflict else None,
        certainty=values.get("certainty"),
        sources=tuple(_source(source) for source in values.get("sources", ())),
    )


def _verdict(value: str) -> Verdict:
    """Return a verdict; one of an older answer in the words of today."""
    return OLDER_VERDICTS.get(value, cast("Verdict", value))


def _place(citation: Citation) -> Citation:
    """Return a citation without its role, which may differ from sentence to sentence."""
    return replace(citation, role="proves")


def _conflict(values: Mapping[str, Any]) -> Conflict:
    at = values.get("at")
    return Conflict(
        str(values["said"]), str(values["found"]), str(values["source"]), (int(at[0]), int(at[1])) if at else None
    )


def _source(values: Mapping[str, Any]) -> CitedSource:
    return CitedSource(
        str(values["mark"]),
        values["outcome"],
        str(values.get("entry", "")),
        str(values.get("document", "")),
        _verdict(values["verdict"]) if values.get("verdict") else None,
        tuple(map(str, values.get("elsewhere", ()))),
    )


def _citation(values: Mapping[str, Any]) -> Citation:
    return Citation(
        label=str(values["label"]),
        element_id=str(values["element_id"]),
        doc_id=str(values["doc_id"]),
        document=str(values["document"]),
        page=int(values["page"]),
        kind=str(values["kind"]),
        bbox=BBox(*map(float, values["bbox"])),
        boxes=_boxes(values["boxes"]),
        quote=str(values["quote"]),
        context=_boxes(values.get("context", ())),
        role=values.get("role") or ("contradicts" if values.get("against") else "proves"),
        place=str(values.get("place", "")),
    )


def _boxes(values: Sequence[Sequence[float]]) -> tuple[BBox, ...]:
    return tuple(BBox(*map(float, box)) for box in values)


def _evidence(one: Evidence) -> dict[str, Any]:
    e = one.element
    return {
        "label": one.label,
        "document": one.document,
        "score": one.score,
        "found_by": list(one.found_by),
        "knowledge": one.knowledge,
        "by_view": [list(pair) for pair in one.by_view],
        "element": {
            **{
                name: getattr(e, name)
                for name in ("id", "doc_id", "page", "kind", "text", "source", "caption", "place")
            },
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
        BBox(*map(float, e["bbox"])),
        e["source"],
        tuple(map(str, e.get("section", ()))),
        str(e.get("caption", "")),
        place=str(e.get("place", "")),
    )
    return Evidence(
        str(values["label"]),
        element,
        str(values["document"]),
        float(values["score"]),
        tuple(map(int, values.get("found_by", (1,)))),
        str(values.get("knowledge", "")),
        tuple((str(view), float(score)) for view, score in values.get("by_view", ())),
    )
