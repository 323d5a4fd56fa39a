"""The form of a kept answer: JSON with a version, in which an answer of an older Vouch stays readable. Pure.

Each citation carries its anchor, by which its place is found again after indexing anew. What no page shows is left
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
"""The most characters of an answer that is kept."""


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
    """Return the JSON text of an answer. Raises KeptUnreadable for one that is too large to be kept."""
    answer, asked = form.answer, form.question
    places = {citation: n for n, citation in enumerate(answer.citations)}
    anchors = (*form.anchors, *[""] * (len(places) - len(form.anchors)))
    told = {
        "version": VERSION,
        "collection": form.collection,
        "asked": {**asdict(asked), "image": Path(asked.image).name if asked.image else None},
        "visual_queries": list(form.visual_queries),
        "citations": [{**c.to_json(), "anchor": a} for c, a in zip(places, anchors, strict=True)],
        "sentences": [_sentence(s, [places[c] for c in s.citations]) for s in answer.sentences],
        "evidence": [_evidence(e) for e in answer.evidence],
        "pages": [asdict(page) for page in answer.pages],
        "usage": asdict(answer.usage),
        **{name: getattr(answer, name) for name in _PLAIN},
    }
    text = json.dumps(told, ensure_ascii=True, separators=(",", ":"))
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
    """Read what `written_form` wrote, in this version or an earlier one. Raises KeptUnreadable for anything else."""
    try:
        told = json.loads(text)
        if told["version"] > VERSION:
            raise KeptUnreadable("this answer was saved by a newer version of Vouch: use that version")
        return _form(told)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise KeptUnreadable(f"this saved answer cannot be read ({type(error).__name__}): ask again") from None


def _form(told: Mapping[str, Any]) -> AnswerForm:
    citations = [_citation(c) for c in told["citations"]]
    asked = dict(told["asked"])
    options: dict[str, Any] = {name: asked.get(name) for name in _OPTIONS}
    options |= {name: tuple(asked.get(name) or ()) for name in ("documents", "earlier")}
    options["pages"] = tuple((str(doc_id), int(number)) for doc_id, number in asked.get("pages") or ())
    options["every_page"] = bool(asked.get("every_page", False))
    answer = Answer(
        question=str(told["question"]),
        mode=told["mode"],
        sentences=tuple(_read_sentence(s, citations) for s in told["sentences"]),
        evidence=tuple(_read_evidence(e) for e in told["evidence"]),
        confidence=float(told["confidence"]),
        timings={str(k): float(v) for k, v in told["timings"].items()},
        settings_hash=str(told["settings_hash"]),
        queries=tuple(map(str, told["queries"])),
        pages=tuple(RankedPage(**page) for page in told.get("pages", ())),
        method=told["method"],
        usage=Usage(**told.get("usage", {})),
        notes=tuple(map(str, told.get("notes", ()))),
        nothing=str(told.get("nothing", "")),
        model=str(told.get("model", "")),
        missing=str(told.get("missing", "")),
    )
    order = {_place(c): str(t.get("anchor", "")) for c, t in zip(citations, told["citations"], strict=True)}
    return AnswerForm(
        str(told["collection"]),
        Question(str(asked["text"]), **options),
        answer,
        tuple(order[_place(c)] for c in answer.citations),
        tuple(map(str, told.get("visual_queries", ()))),
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
        "conflict": one.conflict.to_json() if one.conflict else None,
        "certainty": one.certainty,
        "sources": [asdict(source) for source in one.sources],
    }


def _read_sentence(told: Mapping[str, Any], citations: Sequence[Citation]) -> Sentence:
    conflict, short = told.get("conflict"), told.get("short")
    verdict = _verdict(told["verdict"])
    cited = [citations[n] for n in told["cites"]]
    if "checked_by" not in told and verdict not in ("quoted", "computed", "confirmed"):
        cited = [c if c.against else replace(c, role="unconfirmed") for c in cited]  # an older answer told no roles
    return Sentence(
        text=str(told["text"]),
        citations=tuple(cited),
        verdict=verdict,
        checked_by=told.get("checked_by", ""),
        reason=str(told.get("reason", "")),
        answers=told.get("answers"),
        beside=bool(told.get("beside", False)),
        short=(int(short[0]), int(short[1])) if short else None,
        differs=str(told.get("differs", "")),
        conflict=_conflict(conflict) if conflict else None,
        certainty=told.get("certainty"),
        sources=tuple(_source(source) for source in told.get("sources", ())),
    )


def _verdict(told: str) -> Verdict:
    """Return a verdict; one of an older answer in the words of today."""
    return OLDER_VERDICTS.get(told, cast("Verdict", told))


def _place(citation: Citation) -> Citation:
    """Return a citation without its role, which may differ from sentence to sentence."""
    return replace(citation, role="proves")


def _conflict(told: Mapping[str, Any]) -> Conflict:
    at = told.get("at")
    return Conflict(
        str(told["said"]), str(told["found"]), str(told["source"]), (int(at[0]), int(at[1])) if at else None
    )


def _source(told: Mapping[str, Any]) -> CitedSource:
    return CitedSource(
        str(told["mark"]),
        told["outcome"],
        str(told.get("entry", "")),
        str(told.get("document", "")),
        _verdict(told["verdict"]) if told.get("verdict") else None,
        tuple(map(str, told.get("elsewhere", ()))),
    )


def _citation(told: Mapping[str, Any]) -> Citation:
    return Citation(
        label=str(told["label"]),
        element_id=str(told["element_id"]),
        doc_id=str(told["doc_id"]),
        document=str(told["document"]),
        page=int(told["page"]),
        kind=str(told["kind"]),
        bbox=BBox(*map(float, told["bbox"])),
        boxes=_boxes(told["boxes"]),
        quote=str(told["quote"]),
        context=_boxes(told.get("context", ())),
        role=told.get("role") or ("contradicts" if told.get("against") else "proves"),
        place=str(told.get("place", "")),
    )


def _boxes(told: Sequence[Sequence[float]]) -> tuple[BBox, ...]:
    return tuple(BBox(*map(float, box)) for box in told)


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


def _read_evidence(told: Mapping[str, Any]) -> Evidence:
    e = told["element"]
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
        str(told["label"]),
        element,
        str(told["document"]),
        float(told["score"]),
        tuple(map(int, told.get("found_by", (1,)))),
        str(told.get("knowledge", "")),
        tuple((str(view), float(score)) for view, score in told.get("by_view", ())),
    )
