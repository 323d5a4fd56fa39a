"""The boxes of ViDoRe v3 (Loison et al. 2026, arXiv 2601.08620, sections 3.3 and 4.3): where a page answers.

Data: the folder of one data set as published (`vouch eval vidore` describes it). Each row of `qrels` has in
`bounding_boxes` what one to three people marked on that page: `{"annotator", "x1", "y1", "x2", "y2"}`, in pixels of the
page image. Pages without a box are not asked about.

Every page image is a document of one page. Each question is asked in two settings (--by setting): `pages given`
searches its relevant pages alone, `pages not given` all pages of the data set.

F1 follows section 3.3: the boxes of one person on a page are one zone, so are those that an answer cites there, and F1
(the Dice coefficient) is twice their overlap over the sum of their areas. Of the people, the one who agrees best counts
(section 4.3). The paper does not say how pages are averaged: F1 is the mean over the pages of a question that a person
or the answer marked, so that a citation on another page costs; `F1 marked` is of the pages alone that people marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.metrics import PageBox, covered_area, mean
from evaluation.tasks import Figures, Gold, GoldQuestion, GoldReader, box, boxes_of, of
from plugins.research.tasks import vidore
from plugins.research.tasks.items import pixel_size

NAME = "vidore-boxes"
SAYS = "find the regions of page images that answer a question (the boxes of ViDoRe v3)"
SCOPE = "document"
GROUPINGS = ("setting", "language", "type")
MACRO = None
TABLE = ("F1", "F1 marked")
GIVEN, NOT_GIVEN = "pages given", "pages not given"
Zone = Sequence[tuple[float, float, float, float]]
"""Boxes x0, y0, x1, y1 on a page, in fractions of it, that count as one region."""


def load(data: Path, documents: Path | None, material: Path, limit_docs: int | None) -> Gold:
    """Read the questions with the boxes of their pages; images in rows are written into `material`."""
    pages = vidore.load(data, documents, material, None)
    reader = GoldReader()
    reader.problems, reader.left_out = list(pages.problems), pages.left_out
    questions = ((f"question {question.qid}", question) for question in pages.questions)
    reader.each(questions, lambda where, question: _add_question(reader, where, question, pages.files))
    return reader.gold(data, pages.sha256, limit_docs)


def _add_question(reader: GoldReader, where: str, question: GoldQuestion, files: Mapping[str, Path]) -> None:
    """Add a question, once for each setting. Raises ValueError where its pages have no box."""
    people: dict[str, dict[str, list[tuple[float, float, float, float]]]] = {}
    for doc_id, rows in question.more["marked"].items():
        for row in rows or () if doc_id in question.documents else ():
            sides = [of(row, side, object) for side in ("x1", "y1", "x2", "y2")]
            zone = people.setdefault(doc_id, {}).setdefault(str(row.get("annotator")), [])
            zone.append(box(sides, pixel_size(files[doc_id])))
    if not people:
        raise ValueError("its pages have no box: there is nothing to score it with")
    for setting, documents in ((GIVEN, question.documents), (NOT_GIVEN, tuple(files))):
        zones = {documents.index(doc_id) + 1: list(zones.values()) for doc_id, zones in people.items()}
        gold = tuple(PageBox(1, one, page) for page, each in zones.items() for zone in each for one in zone)
        groups = {"setting": (setting,), **question.groups}
        qid, more = f"{question.qid} {setting}", {"zones": zones}
        with_setting = GoldQuestion(qid, question.text, "", documents, boxes=gold, groups=groups, more=more)
        reader.take(where, with_setting, {doc_id: files[doc_id] for doc_id in documents})


def dice(one: Zone, other: Zone) -> float:
    """Return the Dice coefficient of two zones, 2 |a and b| / (|a| + |b|): 0 where one is empty.

    >>> dice([(0, 0, 1, 0.5)], [(0, 0, 1, 0.25), (0, 0, 1, 0.5), (0, 0.5, 1, 1)])
    0.6666666666666666
    """
    page = (0.0, 0.0, 1.0, 1.0)
    a, b, either = (covered_area(page, zone) for zone in (one, other, [*one, *other]))
    return 2 * (a + b - either) / (a + b) if a + b else 0.0


def figures(question: GoldQuestion, predicted: Mapping[str, Any], grades: Mapping[str, float] | None = None) -> Figures:  # noqa: ARG001  no judge
    """Return F1 over the pages that a person or the answer marked, and over those that people marked."""
    cited_boxes: dict[int, list[tuple[float, float, float, float]]] = {}
    for one in boxes_of(predicted, "citations"):
        cited_boxes.setdefault(one.doc, []).append(one.bbox)
    zones: Mapping[int, Sequence[Zone]] = question.more["zones"]
    best = {page: max(dice(zone, cited_boxes.get(page, ())) for zone in each) for page, each in zones.items()}
    return {
        "F1": mean([best.get(page, 0.0) for page in zones.keys() | cited_boxes.keys()]),
        "F1 marked": mean(list(best.values())),
        "abstained": float(bool(predicted.get("abstained"))),
        "ms": predicted.get("latency_ms"),
    }
