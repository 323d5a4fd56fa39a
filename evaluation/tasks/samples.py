"""The samples of our own: questions about seven made-up documents, some of which none of them answers.

Data: `samples/`, with `questions.yaml` (`question`, `answer` or null, `document`, `kind`, `boxes: [{page, bbox}]` in
fractions of the displayed page) and `documents/`. Every question is asked of all documents together.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from evaluation.errors import GoldUnreadable
from evaluation.metrics import PageBox
from evaluation.tasks import mmdocir
from evaluation.tasks.questions import Figures, Gold, GoldQuestion, GoldReader, box, file_id, found_in, of, text_of
from evaluation.tasks.questions import page_number as page
from rag import fault_of

NAME = "samples"
SAYS = "ask about our own samples, including questions that they do not answer"
SCOPE = "collection"
GROUPINGS = ("kind", "document")
MACRO = None
TABLE = ("R@1", "R@3", "R@5", "Rec", "Ans", "SAA*", "answered", "rightly abstained")
FILES = ("questions.yaml",)


def load(data: Path, documents: Path | None, material: Path, limit_docs: int | None) -> Gold:  # noqa: ARG001  nothing to be made
    """Read the questions; `documents` is the folder of the documents, by default `documents` beside the file."""
    file = found_in(data, FILES)
    text, digest = text_of(file)
    try:
        rows = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise GoldUnreadable(f"{file}: is not YAML ({fault_of(error)}): correct it there") from None
    reader, folder = GoldReader(), documents or file.parent / "documents"
    placed = (
        (f"{file.name}, question {n}", row) for n, row in enumerate(rows if isinstance(rows, list) else [rows], 1)
    )
    reader.each(placed, lambda where, row: _take(reader, where, row, folder))
    if reader.questions:
        reader.files |= {file_id(path): path for path in sorted(folder.glob("*")) if path.is_file() and path != file}
    return reader.gold(file, digest, limit_docs)


def _take(reader: GoldReader, where: str, row: Any, folder: Path) -> None:
    text, answer, name = of(row, "question", str), of(row, "answer", object), of(row, "document", object)
    kind = str(row.get("kind", "unlabelled"))
    if answer is None:
        groups = {"kind": (kind,), "document": ("none",)}
        reader.take(where, GoldQuestion(text, text, "", (), groups=groups), {})
        return
    file = folder / str(name)
    if not file.is_file():
        raise ValueError(f"{name} is not in {folder}")
    boxes = tuple(PageBox(page(of(b, "page", int)), box(of(b, "bbox", list))) for b in of(row, "boxes", list))
    if not boxes:
        raise ValueError("has an answer, but no box that proves it: there is nothing to score it with")
    doc_id, groups = file_id(file), {"kind": (kind,), "document": (str(name),)}
    pages = frozenset(b.page for b in boxes)
    reader.take(where, GoldQuestion(text, text, str(answer), (doc_id,), pages, boxes, groups), {doc_id: file})


def figures(question: GoldQuestion, predicted: Mapping[str, Any], judged: Mapping[str, float] | None = None) -> Figures:  # noqa: ARG001  no judge
    """Return MMDocIR's figures, and how often Vouch answers if there is an answer, and abstains if there is none."""
    found = mmdocir.figures(question, predicted)
    abstained = found.pop("abstained") or 0.0
    answerable = bool(question.documents)
    return {
        **found,
        "answered": 1 - abstained if answerable else None,
        "rightly abstained": None if answerable else abstained,
    }
