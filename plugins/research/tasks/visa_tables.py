"""VISA's published tables (Wiki-VISA, Paper-VISA): Parquet files with images in their rows, read as rows of visa.jsonl.

Columns: `id`, `question`, `short_answer`, `image` (`{"bytes", "path"}`), `bounding_box` in pixels of it; `candidates`,
the ids of rows whose images are the candidates, and `pos_idx`, the number of the one that answers, from 0, or -1;
`long_answer_type`, "p" for a passage. A row without a question is an image for candidates alone. Every question is
read with its own page alone; and, where it names candidates that the tables hold, once more with these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.tasks import GoldReader, of
from plugins.research.tasks.parquet import table_rows, write_image

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
