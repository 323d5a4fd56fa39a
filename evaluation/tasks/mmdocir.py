"""MMDocIR: questions about documents, with the pages and the boxes that answer them.

Gold, one document a line: `{"doc": file name, "domain": str, "questions": [{"qid", "question", "answer", "modality",
"pages": [from 1], "boxes": [{"page", "bbox": [x0, y0, x1, y1]}]}]}`, boxes in fractions of the displayed page.
A prediction is one question a line: `qid`, `ranked_pages`, `ranked_boxes`, `citations`, `answer`, `abstained`,
`latency_ms`; what belongs to another document than the question's has page 0: it takes a rank and is never right.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation import metrics
from evaluation.metrics import PageBox
from indexing import BBox
from rag import Answer

NAME = "mmdocir"
KS = (1, 3, 5)
SLACK = 0.01
"""A gold box may reach this far over the edge of its page; further out it is not in fractions of the page."""

Figures = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the gold file; `document` is the id of the PDF it is about, `groups` a name or more a grouping."""

    qid: str
    text: str
    answer: str
    document: str
    pages: frozenset[int]
    boxes: tuple[PageBox, ...]
    groups: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Gold:
    """A gold file: what can be asked, the PDFs by document id, and what cannot be asked with the reason."""

    questions: tuple[Question, ...]
    files: Mapping[str, Path]
    problems: tuple[str, ...]
    left_out: int
    sha256: str


class GoldUnreadable(Exception):
    """The gold file is missing, is not text, or holds no question that can be asked."""


def read(path: Path, pdfs: Path, limit_docs: int | None = None) -> Gold:
    """Read a gold file about the documents in the folder `pdfs`, or about the `limit_docs` smallest of them.

    A line or question that is no good is named in `problems` and left out. Raises GoldUnreadable when nothing is left.
    """
    try:
        data = path.read_bytes()
        text = data.decode()
    except OSError as error:
        raise GoldUnreadable(f"{path}: cannot be read ({error.strerror}): name the gold file with --gold") from None
    except UnicodeDecodeError as error:
        raise GoldUnreadable(f"{path}: is not text in UTF-8 (byte {error.start}): save it as such") from None
    reader = _Reader(pdfs)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            reader.line(f"{path.name}, line {number}", line)
    if not reader.questions:
        why = "\n  ".join(reader.problems[:10]) or "it is empty"
        raise GoldUnreadable(f"{path}: holds no question that can be asked:\n  {why}")
    by_size = sorted(reader.files.items(), key=lambda item: (item[1].stat().st_size, item[1].name))
    kept = {doc_id for doc_id, _ in by_size[:limit_docs]}
    return Gold(
        tuple(q for q in reader.questions if q.document in kept),
        {doc_id: file for doc_id, file in reader.files.items() if doc_id in kept},
        tuple(reader.problems),
        reader.left_out,
        hashlib.sha256(data).hexdigest(),
    )


def file_id(path: Path) -> str:
    """The id that indexing gives to a file: the first 16 hex digits of its sha256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


class _Reader:
    """Reads lines; keeps what is good and says of the rest what is wrong and where."""

    def __init__(self, pdfs: Path) -> None:
        self.pdfs = pdfs
        self.questions: list[Question] = []
        self.files: dict[str, Path] = {}
        self.problems: list[str] = []
        self.left_out = 0
        self._where: dict[str, str] = {}

    def line(self, where: str, line: str) -> None:
        """Take a document with its questions."""
        try:
            row = json.loads(line)
            asked = _of(row, "questions", list)
            file = self.pdfs / _of(row, "doc", str)
        except (ValueError, RecursionError) as error:
            self._leave_out(1, f"{where}: {_reason(error)}")
            return
        if not file.is_file():
            self._leave_out(len(asked), f"{where}: {row['doc']} is not in {self.pdfs}: {len(asked)} questions left out")
            return
        doc_id = file_id(file)
        for number, question in enumerate(asked, 1):
            here = f"{where}, question {number}"
            try:
                taken = _question(question, doc_id, str(row.get("domain", "")))
                if taken.qid in self._where:
                    raise ValueError(f"its qid {taken.qid!r} is that of {self._where[taken.qid]}")  # noqa: TRY301
            except ValueError as error:
                self._leave_out(1, f"{here}: {_reason(error)}")
                continue
            self._where[taken.qid] = here
            self.questions.append(taken)
            self.files[doc_id] = file

    def _leave_out(self, count: int, problem: str) -> None:
        self.left_out += count
        self.problems.append(problem)


def _question(row: Any, doc_id: str, domain: str) -> Question:
    text, qid = _of(row, "question", str), _of(row, "qid", str)
    pages = frozenset(_page(p) for p in _of(row, "pages", list))
    boxes = tuple(PageBox(_page(_of(b, "page", int)), _bbox(_of(b, "bbox", list))) for b in _of(row, "boxes", list))
    modality = str(row.get("modality", ""))
    groups = {
        "modality": tuple(re.findall(r"'([^']+)'", modality)) or ("unlabelled",),
        "domain": (domain or "unlabelled",),
    }
    return Question(qid, text, str(_of(row, "answer", object)), doc_id, pages, boxes, groups)


def _of(row: Any, key: str, kind: type) -> Any:
    if not isinstance(row, dict):
        raise ValueError(f"expected an object with {key!r}, found {json.dumps(row)[:40]}")  # noqa: TRY004
    if key not in row:
        raise ValueError(f"has no {key!r} (it has: {', '.join(map(str, row)) or 'nothing'})")
    if not isinstance(row[key], kind):
        raise ValueError(f"{key!r} is {json.dumps(row[key])[:40]}, expected a {kind.__name__}")  # noqa: TRY004
    return row[key]


def _page(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{value!r} is no page: they are numbered from 1")
    return value


def _bbox(values: list[Any]) -> tuple[float, float, float, float]:
    if len(values) != 4 or not all(isinstance(v, int | float) and math.isfinite(v) for v in values):
        raise ValueError(f"{values!r} is no box: expected four numbers x0, y0, x1, y1")
    x0, y0, x1, y1 = map(float, values)
    if not (-SLACK <= x0 < x1 <= 1 + SLACK and -SLACK <= y0 < y1 <= 1 + SLACK):
        raise ValueError(f"the box {values!r} is inverted or not in fractions of the page (0 to 1)")
    return x0, y0, x1, y1


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"is not JSON ({error.msg} at column {error.colno})"
    return str(error) if isinstance(error, ValueError) else "is nested too deeply"


# ---- predictions ---------------------------------------------------------------------------------------------------


def prediction(question: Question, answer: Answer, latency_ms: float) -> dict[str, Any]:
    """The line that stands for an answer. Boxes are those of whole elements, each once, best first."""

    def page(doc_id: str, number: int) -> int:
        return number if doc_id == question.document else 0

    def boxes(found: Iterable[tuple[str, int, BBox]]) -> list[dict[str, Any]]:
        return [{"page": page(doc, number), "bbox": list(box.as_tuple())} for doc, number, box in dict.fromkeys(found)]

    return {
        "qid": question.qid,
        "ranked_pages": [page(hit.doc_id, hit.number) for hit in answer.pages],
        "ranked_boxes": boxes((e.element.doc_id, e.element.page, e.element.bbox) for e in answer.evidence),
        "citations": boxes((c.doc_id, c.page, c.bbox) for c in answer.citations),
        "answer": " ".join(sentence.text for sentence in answer.sentences),
        "abstained": answer.abstained,
        "latency_ms": round(latency_ms, 3),
    }


def nothing(question: Question, error: str) -> dict[str, Any]:
    """The line of a question that could not be asked, with the reason."""
    empty: dict[str, Any] = {"ranked_pages": [], "ranked_boxes": [], "citations": [], "answer": "", "abstained": True}
    return {"qid": question.qid, **empty, "latency_ms": None, "error": error}


def figures(question: Question, predicted: Mapping[str, Any]) -> Figures:
    """The figures of one question, from 0 to 1, and the milliseconds; None where the gold asks for nothing."""
    ranked = predicted.get("ranked_pages", [])
    boxes = tuple(map(_page_box, predicted.get("ranked_boxes", [])))
    cited = tuple(map(_page_box, predicted.get("citations", [])))
    recall = metrics.citation_recall(question.boxes, cited)
    precision = metrics.citation_precision(question.boxes, cited)
    contained = metrics.containment(question.answer, predicted.get("answer", ""))
    return {
        **{f"R@{k}": metrics.page_recall(question.pages, ranked, k) for k in KS},
        **{f"box R@{k}": metrics.box_recall(question.boxes, boxes, k) for k in KS},
        "Page": metrics.cited_pages(question.pages, cited),
        "Rec": recall,
        "Prec": precision,
        "F1": metrics.f1(precision, recall),
        "Ans": contained,
        "SAA*": metrics.strict_accuracy(contained, recall),
        "abstained": float(bool(predicted.get("abstained"))),
        "ms": predicted.get("latency_ms"),
    }


def grouped(
    questions: Sequence[Question], predicted: Mapping[str, Mapping[str, Any]], by: str | None = None
) -> dict[str, list[Figures]]:
    """The figures of every question under `all`, or under its modalities or its domain, largest group first."""
    groups: dict[str, list[Figures]] = {}
    for question in questions:
        row = figures(question, predicted[question.qid])
        for name in question.groups[by] if by else ("all",):
            groups.setdefault(name, []).append(row)
    return dict(sorted(groups.items(), key=lambda group: -len(group[1])))


def _page_box(row: Mapping[str, Any]) -> PageBox:
    x0, y0, x1, y1 = row["bbox"]
    return PageBox(row["page"], (x0, y0, x1, y1))
