"""The benchmark MMDocIR (Dong et al. 2025, arXiv 2501.08828): questions about long documents, with pages and boxes.

Data: a folder with the documents in `pdfs/` and `MMDocIR_annotations.jsonl`, as published, one document a line:
`{"doc_name", "domain", "questions": [{"Q", "A", "type", "page_id": [from 0], "layout_mapping": [{"page": from 0,
"page_size": [width, height], "bbox": [x0, y0, x1, y1] in points}]}]}`. Or `dev.jsonl`, a form of our own:
`{"doc", "domain", "questions": [{"qid", "question", "answer", "modality", "pages": [from 1], "boxes": [{"page",
"bbox"}]}]}`, boxes in fractions of the displayed page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluation import metrics
from evaluation.metrics import PageBox, layout_recall
from evaluation.tasks.prediction import boxes_of
from evaluation.tasks.questions import (
    Figures,
    Gold,
    GoldQuestion,
    GoldReader,
    box,
    file_id,
    found_in,
    of,
    page_number,
    page_size,
    reason,
    rows_of,
    text_of,
)

NAME = "mmdocir"
SAYS = "retrieve pages and boxes from long documents (MMDocIR)"
SCOPE = "document"
GROUPINGS = ("domain", "modality", "pages")
"""The groupings; `pages` says if the gold pages are image-only (without a meaningful text layer), text, or mixed."""
MACRO = "domain"
TABLE = ("R@1", "R@3", "R@5", "layout R@1", "layout R@5", "layout R@10")
FILES = ("MMDocIR_annotations.jsonl", "dev.jsonl")
KS = (1, 3, 5)
LAYOUT_KS = (1, 5, 10)
MIN_CHARS = 20
"""The least readable characters of a text layer; one with fewer counts as none, as in indexing."""


def load(data: Path, documents: Path | None, material: Path, limit_docs: int | None) -> Gold:  # noqa: ARG001  nothing to be made
    """Read a folder of the benchmark, or its annotations; PDFs are in `documents`, by default `pdfs` beside."""
    file = found_in(data, FILES)
    return read(file, documents or file.parent / "pdfs", limit_docs)


def read(path: Path, pdfs: Path, limit_docs: int | None = None) -> Gold:
    """Read a gold file about the documents in the folder `pdfs`, or about the `limit_docs` smallest of them.

    A line or question that is no good is named in `problems` and left out. Raises GoldUnreadable when nothing is left.
    """
    text, digest = text_of(path)
    reader = GoldReader()
    for where, row in rows_of(path, text):
        _read_document(reader, where, row, pdfs)
    return reader.gold(path, digest, limit_docs)


def _read_document(reader: GoldReader, where: str, row: Any, pdfs: Path) -> None:
    """Add a document's questions to the reader, or the reason why they are left out."""
    try:
        rows = of(row, "questions", list)
        name = of(row, "doc", str, "doc_name")
    except ValueError as error:
        reader.leave_out(f"{where}: {reason(error)}")
        return
    file = pdfs / name
    if not file.is_file():
        reader.leave_out(f"{where}: {name} is not in {pdfs}: {len(rows)} questions left out", len(rows))
        return
    doc_id, n_before = file_id(file), len(reader.questions)
    for number, question in enumerate(rows, 1):
        here = f"{where}, question {number}"
        try:
            parse = _read_published_row if isinstance(question, Mapping) and "Q" in question else _read_own_row
            reader.take(
                here, parse(question, doc_id, str(row.get("domain", "")), f"{name}-{number:02}"), {doc_id: file}
            )
        except ValueError as error:
            reader.leave_out(f"{here}: {reason(error)}")
    reader.questions[n_before:] = _with_page_group(reader.questions[n_before:], file)


def _read_own_row(row: Any, doc_id: str, domain: str, _: str) -> GoldQuestion:
    """Return the question of an object of `dev.jsonl`. Raises ValueError."""
    text, qid = of(row, "question", str), of(row, "qid", str)
    pages = frozenset(page_number(p) for p in of(row, "pages", list))
    boxes = tuple(PageBox(page_number(of(b, "page", int)), box(of(b, "bbox", list))) for b in of(row, "boxes", list))
    return _question(qid, text, str(of(row, "answer", object)), doc_id, pages, boxes, domain, row.get("modality", ""))


def _read_published_row(row: Any, doc_id: str, domain: str, qid: str) -> GoldQuestion:
    """Return the question of an object in the published format. Raises ValueError."""
    pages = frozenset(page_number(p, 0) for p in of(row, "page_id", list))
    boxes = tuple(
        PageBox(page_number(of(b, "page", int), 0), box(of(b, "bbox", list), page_size(of(b, "page_size", list))))
        for b in of(row, "layout_mapping", list)
    )
    if not pages:
        raise ValueError("names no page in 'page_id': there is nothing to score it with")
    text, answer = of(row, "Q", str), str(of(row, "A", object))
    return _question(qid, text, answer, doc_id, pages, boxes, domain, row.get("type", ""))


def _question(
    qid: str,
    text: str,
    answer: str,
    doc_id: str,
    pages: frozenset[int],
    boxes: tuple[PageBox, ...],
    domain: str,
    modality: Any,
) -> GoldQuestion:
    groups = {
        "modality": tuple(re.findall(r"'([^']+)'", str(modality))) or ("unlabelled",),
        "domain": (domain or "unlabelled",),
    }
    return GoldQuestion(qid, text, answer, (doc_id,), pages, boxes, groups)


def _with_page_group(questions: Sequence[GoldQuestion], file: Path) -> list[GoldQuestion]:
    """Return the questions about a file with the group `pages` added: text, image-only, mixed or unlabelled."""
    with_text = with_layer(file, {number for question in questions for number in question.pages})
    return [replace(q, groups={**q.groups, "pages": (_kind_of(q.pages, with_text),)}) for q in questions]


def _kind_of(pages: Set[int], with_text: Set[int] | None) -> str:
    """Return the kind of `pages`, given the pages with a text layer (None: the file cannot be read)."""
    if with_text is None or not pages:
        return "unlabelled"
    return "text" if pages <= with_text else "mixed" if pages & with_text else "image-only"


def with_layer(path: Path, numbers: Set[int]) -> Set[int] | None:
    """Return those of some pages (from 1) of a PDF whose text layer is readable; None if the file cannot be opened."""
    import pymupdf  # brings ONNX Runtime in, which must find the environment as `indexing` sets it

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        with pymupdf.open(path) as document:
            return {n for n in numbers if 0 < n <= document.page_count and readable(document[n - 1].get_text())}
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):  # ValueError: it is encrypted
        return None


def readable(layer: str) -> bool:
    """Return True if a text layer has MIN_CHARS known characters, and at most 30% that are unknown (U+FFFD)."""
    visible = "".join(layer.split())
    n_unknown = visible.count("\ufffd")
    return len(visible) - n_unknown >= MIN_CHARS and n_unknown <= 0.3 * len(visible)


def figures(question: GoldQuestion, predicted: Mapping[str, Any], grades: Mapping[str, float] | None = None) -> Figures:  # noqa: ARG001  no judge
    """Return the figures of one question, from 0 to 1, and the milliseconds; None where the gold asks for nothing."""
    ranking = predicted.get("ranked_pages", [])
    boxes = boxes_of(predicted, "ranked_boxes")
    cited_boxes = boxes_of(predicted, "citations")
    recall = metrics.citation_recall(question.boxes, cited_boxes)
    precision = metrics.citation_precision(question.boxes, cited_boxes)
    containment = metrics.containment(question.answer, predicted.get("answer", ""))
    return {
        **{f"R@{k}": metrics.page_recall(question.pages, ranking, k) for k in KS},
        **{f"layout R@{k}": layout_recall(question.boxes, boxes, k) for k in LAYOUT_KS},
        **{f"box R@{k}": metrics.box_recall(question.boxes, boxes, k) for k in KS},
        "Page": metrics.cited_pages(question.pages, cited_boxes),
        "Rec": recall,
        "Prec": precision,
        "F1": metrics.f1(precision, recall),
        "Ans": containment,
        "SAA*": metrics.strict_accuracy(containment, recall),
        "abstained": float(bool(predicted.get("abstained"))),
        "ms": predicted.get("latency_ms"),
    }
