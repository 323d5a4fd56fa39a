"""The line of an answer in a file of predictions, written and read back.

`qid`, `question`; `ranked_pages` and `ranked_boxes`, best first; `citations`; `answer`, `sentences` with verdicts,
`abstained`, `confidence`; `evidence`; `latency_ms`, `timings`, `usage`, `settings`. Pages count from 1, boxes are
fractions of the displayed page. A box of a document that the question was not asked of has page 0: it takes a rank and
is never right. `drafts` are the sentences as the model wrote them, before they were checked, each with the numbers
(from 0) of the `evidence` that it named itself; there are none where no model wrote. Where a question has several
documents, `doc` (and `ranked_docs`) numbers them from 1. Method visa has `drawn` besides: the box as its model drew it,
before an element took its place, or null without one. `searched` is false where the evidence was given and nothing was
ranked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from evaluation.metrics import PageBox
from evaluation.tasks.questions import GoldQuestion
from indexing import BBox
from rag import Answer, Citation, Drafted, MethodName

DIGITS = 5
"""The digits of coordinates in fractions of a page: a hundredth of a millimetre."""


def prediction(question: GoldQuestion, answer: Answer, latency_ms: float, *, tight: bool = False) -> dict[str, Any]:
    """Return the prediction of an answer. Boxes are those of elements, each once, best first; with `tight`, a citation
    has the boxes of its localizer instead, if it has any.
    """
    answer = replace(answer, sentences=tuple(s for s in answer.sentences if not s.heading))  # without remarks
    order = {doc_id: number for number, doc_id in enumerate(question.documents, 1)}
    several = len(order) > 1

    def boxes(places: Iterable[tuple[str, int, BBox]]) -> list[dict[str, Any]]:
        """Return boxes, given as (document id, page, box), each once, as objects of a prediction."""
        return [
            {
                "page": number if doc in order else 0,
                "bbox": [round(v, DIGITS) for v in box.as_tuple()],
                **({"doc": order.get(doc, 0)} if several else {}),
            }
            for doc, number, box in dict.fromkeys(places)
        ]

    def places_of(citation: Citation) -> list[tuple[str, int, BBox]]:
        boxes = (citation.boxes if tight else ()) or (citation.bbox,)
        return [(citation.doc_id, citation.page, box) for box in boxes]

    cited = tuple(dict.fromkeys(place for c in answer.citations if not c.against for place in places_of(c)))
    row = {
        "qid": question.qid,
        "question": question.text,
        "ranked_pages": [hit.number if hit.doc_id in order else 0 for hit in answer.pages],
        "ranked_boxes": boxes((e.element.doc_id, e.element.page, e.element.bbox) for e in answer.evidence),
        "citations": boxes(cited),
        "answer": " ".join(sentence.text for sentence in answer.sentences),
        "abstained": answer.abstained,
        "confidence": round(answer.confidence, 4),
        "latency_ms": round(latency_ms, 3),
        "sentences": [
            {name: getattr(s, name) for name in ("text", "verdict", "checked_by", "reason")}
            | {"citations": list(dict.fromkeys(cited.index(b) for c in s.non_contradicting for b in places_of(c)))}
            for s in answer.sentences
        ],
        "evidence": [
            {"document": e.element.doc_id, "page": e.element.page, "kind": e.element.kind, "score": round(e.score, 4)}
            for e in answer.evidence
        ],
        "cited": [
            {"document": c.doc_id, "page": c.page, "kind": c.kind, "quote": c.quote}
            for c in {place: c for c in answer.citations if not c.against for place in places_of(c)}.values()
        ],
        "timings": {stage: round(seconds, 4) for stage, seconds in answer.timings.items()},
        "usage": asdict(answer.usage),
        "settings": answer.settings_hash,
    }
    if answer.method == "visa":
        row["drawn"] = next(iter(boxes((d.doc_id, d.page, d.bbox) for d in (answer.drawn,) if d)), None)
    if several:
        row["ranked_docs"] = [order.get(hit.doc_id, 0) for hit in answer.pages]
    if len(order) != 1:
        row["ranked_ids"] = list(dict.fromkeys(hit.doc_id for hit in answer.pages))
    return row


def draft_rows(answer: Answer, drafts: Sequence[Drafted]) -> dict[str, Any]:
    """Return {"drafts": sentences before checking, with the indices of their evidence}; {} for method `quote`."""
    if answer.method == "quote":
        return {}
    labels = [e.label for e in answer.evidence]
    whole = drafts[: len(answer.sentences)]  # those of a reply that had to be asked for again may be more
    return {"drafts": [{"text": d.text, "named": [labels.index(label) for label in d.labels]} for d in whole]}


def nothing(question: GoldQuestion, error: str, method: MethodName = "quote") -> dict[str, Any]:
    """Return the prediction, an abstention with `error`, of a question that could not be asked."""
    empty: dict[str, Any] = {"ranked_pages": [], "ranked_boxes": [], "citations": [], "answer": "", "abstained": True}
    if method == "visa":
        empty["drawn"] = None
    return {"qid": question.qid, "question": question.text, **empty, "latency_ms": None, "error": error}


def boxes_of(row: Mapping[str, Any], key: str) -> tuple[PageBox, ...]:
    """Return the boxes under `ranked_boxes` or `citations`; none when the line has no such key."""
    return tuple(page_box(box) for box in row.get(key, ()))


def page_box(row: Mapping[str, Any]) -> PageBox:
    """Return the box of an object with `page`, `bbox` and, with several documents, `doc`."""
    x0, y0, x1, y1 = row["bbox"]
    return PageBox(row["page"], (x0, y0, x1, y1), row.get("doc", 1))
