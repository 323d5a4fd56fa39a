"""The benchmark VISA (Ma et al. 2024, arXiv 2412.14457): a question, candidate page images, a short answer, its box.

Columns: `id`, `question`, `short_answer`, `image` (`{"bytes", "path"}`), `bounding_box` in pixels of it; `candidates`,
the ids of rows whose images are the candidates, and `pos_idx`, the number of the one that answers, from 0, or -1;
`long_answer_type`, "p" for a passage. A row without a question is an image for candidates alone. Every question is
read with its own page alone; and, where it names candidates that the tables hold, once more with these.

Data: a folder with `visa.jsonl` (or test.jsonl), a question a line: `{"id", "question", "short_answer",
"candidates": [image files], "oracle": number of the candidate that answers, from 0, or null, "bbox": [x0, y0, x1, y1]
in pixels of it, "image_size": [width, height], "kind": "passage", "beyond first page" or "non-passage"}`,
a form of our own. Or the published tables (Wiki-VISA, Paper-VISA), Parquet files with images in their rows: a file, or
a folder of them; plugins/research/tasks/visa.py says what columns they have.

Every candidate is a document of one page. Method visa is shown all of them, in the order of the data, as the paper does
it (section 3); other methods search among them. Settings follow section 5: a single candidate; several with the one
that answers; several without it, where the right answer is that there is none; and Full, both of these together. In
each setting the paper's average is the macro average over passages on the first page, passages beyond it, and what is
no passage; a question that lost its answer keeps its kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation import metrics
from evaluation.metrics import PageBox
from evaluation.tasks import (
    Figures,
    Gold,
    GoldQuestion,
    GoldReader,
    box,
    boxes_of,
    file_id,
    found_in,
    of,
    page_box,
    page_size,
    rows_of,
    text_of,
)
from plugins.research.metrics import box_accuracy, relaxed_exact_match
from plugins.research.tasks.items import digest_of, displayed_size, table_rows, tables_in, write_image

FIRST_PAGE = 980
"""The pixels of a Wikipedia page that are its first page (section 4.1); a passage that begins below is beyond it."""
PASSAGES = frozenset({"p", "paragraph", "passage", "text"})
KINDS = ("long_answer_type", "kind", "type", "category")


def rows_of_tables(tables: Sequence[Path], folder: Path, reader: GoldReader) -> Iterator[tuple[str, Any]]:
    """Yield (place, row) of every question, in the form of visa.jsonl; the images are written into `folder`.

    An invalid row is yielded as a ValueError. Questions with missing candidates are noted in `reader`, in one line.
    Raises GoldUnreadable.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, str] = {}
    questions: list[tuple[str, dict[str, Any]]] = []
    for where, row in table_rows(tables):
        try:
            image = write_image(of(row, "image", dict), folder).name
        except ValueError as error:
            yield where, error
            continue
        name = str(of(row, "id", object))
        files.setdefault(name, image)
        if row.get("question"):
            questions.append((where, {**row, "id": name, "image": image}))
    lacking = []
    for where, row in questions:
        yield where, _with_own_page(row)
        candidates = [str(other) for other in (row.get("candidates") or ())]
        if candidates and all(other in files for other in candidates):
            yield where, _with_candidates(row, [files[other] for other in candidates])
        elif candidates:
            lacking.append(next(other for other in candidates if other not in files))
    if lacking:
        message = f"candidates of {len(lacking)} questions (such as {lacking[0]!r}) are in none of the tables"
        reader.leave_out(f"{message}: these are asked with their own page only", len(lacking))


def _with_own_page(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a question with its own page alone, which answers."""
    return {**_common_fields(row), "candidates": [row["image"]], "oracle": 0}


def _with_candidates(row: Mapping[str, Any], files: Sequence[str]) -> dict[str, Any]:
    """Return the row of a question with its candidates; -1 or an invalid number says that none answers."""
    position = row.get("pos_idx")
    oracle = position if isinstance(position, int) and 0 <= position < len(files) else None
    return {**_common_fields(row), "id": f"{row['id']} among {len(files)}", "candidates": list(files), "oracle": oracle}


def _common_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that both rows share; the box is clipped to the image, as the screenshot was."""
    fields = {key: row[key] for key in ("id", "question", "short_answer", "image_size") if row.get(key) is not None}
    box = row.get("bounding_box")
    if isinstance(box, list) and len(box) == 4 and all(isinstance(side, int | float) for side in box):
        width, height = fields.get("image_size") or (float("inf"), float("inf"))
        box = [max(0, box[0]), max(0, box[1]), min(width, box[2]), min(height, box[3])]
    return {**fields, "bbox": box, "kind": kind_of(row)}


def kind_of(row: Mapping[str, Any]) -> str:
    """Return the kind by which the paper's table groups a question.

    >>> kind_of({"long_answer_type": "p", "bounding_box": [0, 980, 10, 990]})
    'beyond first page'
    """
    label = next((str(row[key]).lower() for key in KINDS if row.get(key)), "")
    if label not in PASSAGES:
        return "non-passage" if label else "unlabelled"
    _, top, *_ = row.get("bounding_box") or (0, 0)
    return "beyond first page" if (top or 0) >= FIRST_PAGE else "passage"


NAME = "visa"
SAYS = "give short answers and the box that proves each, on page images (VISA)"
SCOPE = "document"
GROUPINGS = ("setting", "kind")
MACRO = "kind"
WITHIN = "setting"
TABLE = ("EM", "Box drawn", "Box")
FILES = ("visa.jsonl", "test.jsonl", "test.json")
SINGLE, WITH, WITHOUT = "single oracle", "several, with the oracle", "several, no answer"
FULL = "full: several, with and without an answer"


def load(data: Path, documents: Path | None, material: Path, limit_docs: int | None) -> Gold:
    """Read the questions; names of images are relative to `documents`, by default the folder of the file.

    Images of tables are written into `material`.
    """
    tables = [] if any((data / name).is_file() for name in FILES) else tables_in(data)
    if tables:
        reader, folder = GoldReader(), material / "visa"
        reader.each(rows_of_tables(tables, folder, reader), lambda where, row: _add(reader, where, row, folder))
        return reader.gold(data, digest_of(tables), limit_docs)
    file = found_in(data, FILES)
    text, digest = text_of(file)
    reader, folder = GoldReader(), documents or file.parent
    reader.each(rows_of(file, text), lambda where, row: _add(reader, where, row, folder))
    return reader.gold(file, digest, limit_docs)


def _add(reader: GoldReader, where: str, row: Any, folder: Path) -> None:
    """Add a question with its candidates and the gold box, if any. Raises ValueError for an invalid row."""
    qid, text = str(of(row, "id", object, "qid", "question_id")), of(row, "question", str, "query")
    files = [folder / str(name) for name in of(row, "candidates", list, "images")]
    missing = [file.name for file in files if not file.is_file()]
    if missing or not files:
        raise ValueError(f"{missing[0]} is not in {folder}" if missing else "has no candidate")
    oracle = 0 if len(files) == 1 and "oracle" not in row else of(row, "oracle", object)
    boxes: tuple[PageBox, ...] = ()
    if oracle is not None:
        if not isinstance(oracle, int) or not 0 <= oracle < len(files):
            raise ValueError(f"its oracle {oracle!r} is not one of its {len(files)} candidates")
        pixels = displayed_size(files[oracle])
        values = of(row, "bbox", list, "bounding_box")
        size = page_size(of(row, "image_size", list) if "image_size" in row else pixels)
        if pixels is not None and size != pixels:
            name, actual = files[oracle].name, " x ".join(map(str, pixels))
            raise ValueError(f"its image_size is {size[0]:g} x {size[1]:g}, but {name} has {actual}")
        boxes = (PageBox(1, box(values, size), oracle + 1),)
    answer = str(of(row, "short_answer", object, "answer") or "") if oracle is not None else ""
    if oracle is not None and not answer.strip():
        raise ValueError("has an oracle, but no answer: there is nothing to score it with")
    several = (WITHOUT if oracle is None else WITH, FULL)
    groups = {"setting": (SINGLE,) if len(files) == 1 and boxes else several}
    groups["kind"] = (str(row.get("kind") or ("unlabelled" if boxes else "no answer")),)
    ids = tuple(file_id(file) for file in files)
    shown_pages = tuple((doc_id, 1) for doc_id in ids)
    question = GoldQuestion(qid, text, answer, ids, frozenset(b.page for b in boxes), boxes, groups, shown=shown_pages)
    reader.take(where, question, dict(zip(ids, files, strict=True)))


def figures(question: GoldQuestion, predicted: Mapping[str, Any], grades: Mapping[str, float] | None = None) -> Figures:  # noqa: ARG001  no judge
    """Return EM and the accuracy of the box; without a gold answer both are 1 for abstaining, else 0.

    That the box counts there too follows from the paper's results on Wiki-VISA: Full has a higher box accuracy (41.6)
    than the questions with an oracle alone (37.7), which it could not if those without were left out.

    `Box drawn` is the paper's figure: the box that the model of method visa draws, as it drew it; blank where none was
    asked for one. `Box` is of the box that Vouch shows: the first that the answer cites, that of the element to which a
    drawn one was moved. Ans* is by string match, for answers that are whole sentences; the oracle figure says how often
    the first citation is on the page that answers.
    """
    cited_boxes = boxes_of(predicted, "citations")
    answer, abstained = str(predicted.get("answer", "")), bool(predicted.get("abstained"))
    first = cited_boxes[0] if cited_boxes else None
    box = page_box(predicted["drawn"]) if predicted.get("drawn") else None
    unanswerable = not question.boxes
    score = float(abstained and "error" not in predicted)
    right_page = first is not None and any(first.place == gold.place for gold in question.boxes)
    return {
        "EM": score if unanswerable else float(relaxed_exact_match(question.answer, answer)),
        "Box drawn": (score if unanswerable else box_accuracy(question.boxes, box)) if "drawn" in predicted else None,
        "Box": score if unanswerable else box_accuracy(question.boxes, first),
        "oracle": None if unanswerable else float(right_page),
        "Ans*": None if unanswerable else metrics.containment(question.answer, answer),
        "abstained": float(abstained),
        "ms": predicted.get("latency_ms"),
    }
