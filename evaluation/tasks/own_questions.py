"""Your own questions: which pages and boxes are found, what is answered, and what is rightly left unanswered.

Data: a folder with `questions.yaml` (our `samples/`, and what `vouch feedback export` writes) or `questions.jsonl`
(what `vouch eval construct questions` writes), an entry or a line a question: `question`, `answer` or null, `kind`,
`boxes: [{page, bbox}]` in fractions of the displayed page, and the document: `document`, a file of `documents/`
beside the questions, or `document_id`, one that is in the collection (--collection) already. Every question is asked
of all documents together; one whose answer is null is answered by none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from evaluation.errors import GoldUnreadable
from evaluation.metrics import PageBox
from evaluation.tasks import mmdocir
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
    rows_of,
    text_of,
)
from rag import fault_of

NAME = "questions"
SAYS = "ask your own questions about your own documents, including questions that these do not answer"
SCOPE = "collection"
GROUPINGS = ("kind", "document")
MACRO = None
TABLE = ("R@1", "R@3", "R@5", "Rec", "Ans", "SAA*", "answered", "rightly abstained")
FILES = ("questions.yaml", "questions.jsonl")


def load(data: Path, documents: Path | None, material: Path, limit_docs: int | None) -> Gold:  # noqa: ARG001  nothing to be made
    """Read the questions; `documents` is the folder of the documents, by default `documents` beside the file."""
    file = found_in(data, FILES)
    text, digest = text_of(file)
    reader, folder = GoldReader(), documents or file.parent / "documents"
    rows = _entries(file, text) if file.suffix in (".yaml", ".yml") else rows_of(file, text)
    reader.each(rows, lambda where, row: _add_question(reader, where, row, folder))
    if reader.questions:
        reader.files |= {file_id(path): path for path in sorted(folder.glob("*")) if path.is_file() and path != file}
    return reader.gold(file, digest, limit_docs)


def _entries(file: Path, text: str) -> Iterable[tuple[str, Any]]:
    """Return the place of each entry of a YAML list, and the entry. Raises GoldUnreadable."""
    try:
        rows = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise GoldUnreadable(f"{file}: is not YAML ({fault_of(error)}): correct it there") from None
    return ((f"{file.name}, question {n}", row) for n, row in enumerate(rows if isinstance(rows, list) else [rows], 1))


def _add_question(reader: GoldReader, where: str, row: Any, folder: Path) -> None:
    """Add the question of a row to the reader. Raises ValueError for an unusable row."""
    text, answer = of(row, "question", str), of(row, "answer", object)
    kind, qid = str(row.get("kind", "unlabelled")), str(row.get("id", text))
    if answer is None:
        groups = {"kind": (kind,), "document": ("none",)}
        reader.take(where, GoldQuestion(qid, text, "", (), groups=groups), {})
        return
    name = str(of(row, "document", object))
    boxes = tuple(PageBox(page_number(of(b, "page", int)), box(of(b, "bbox", list))) for b in of(row, "boxes", list))
    if not boxes:
        raise ValueError("has an answer, but no box that proves it: there is nothing to score it with")
    files: dict[str, Path] = {}
    if "document_id" in row:
        doc_id = of(row, "document_id", str)
    else:
        file = folder / name
        if not file.is_file():
            raise ValueError(f"{name} is not in {folder}")
        doc_id = file_id(file)
        files[doc_id] = file
    groups = {"kind": (kind,), "document": (name,)}
    pages = frozenset(b.page for b in boxes)
    reader.take(where, GoldQuestion(qid, text, str(answer), (doc_id,), pages, boxes, groups), files)


def figures(question: GoldQuestion, predicted: Mapping[str, Any], grades: Mapping[str, float] | None = None) -> Figures:  # noqa: ARG001  no judge
    """Return MMDocIR's figures and, in place of `abstained`, `answered` or `rightly abstained` (1 or 0, else None)."""
    values = mmdocir.figures(question, predicted)
    abstained = values.pop("abstained") or 0.0
    answerable = bool(question.documents)
    return {
        **values,
        "answered": 1 - abstained if answerable else None,
        "rightly abstained": None if answerable else abstained,
    }
