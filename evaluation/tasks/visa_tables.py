"""VISA's published tables (Wiki-VISA, Paper-VISA): Parquet files with images in their rows, read as rows of visa.jsonl.

Columns: `id`, `question`, `short_answer`, `image` (`{"bytes", "path"}`), `bounding_box` in pixels of it; `candidates`,
the ids of rows whose images are the candidates, and `pos_idx`, the number of the one that answers, from 0, or -1;
`long_answer_type`, "p" for a passage. A row without a question is an image for candidates alone. Every question is
read with its own page alone; and, where it names candidates that the tables hold, once more with these.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.errors import GoldUnreadable
from evaluation.tasks.questions import GoldReader, of

FIRST_PAGE = 980
"""The pixels of a Wikipedia page that are its first page (section 4.1); a passage that begins below is beyond it."""
PASSAGES = frozenset({"p", "paragraph", "passage", "text"})
KINDS = ("long_answer_type", "kind", "type", "category")
ROWS_AT_ONCE = 16
SUFFIXES = {"PNG": ".png", "JPEG": ".jpg", "WEBP": ".webp"}


def tables_in(data: Path) -> list[Path]:
    """Return the tables: the file itself, or those of a folder, of the test split alone where files are named for it.

    >>> tables_in(Path("nowhere.jsonl"))
    []
    """
    if data.suffix == ".parquet":
        return [data]
    found = sorted(data.rglob("*.parquet")) if data.is_dir() else []
    tests = [path for path in found if "test" in path.relative_to(data).as_posix()]
    return tests or found


def digest_of(tables: Sequence[Path]) -> str:
    """Return the sha256 of the tables, one after the other."""
    digest = hashlib.sha256()
    for path in tables:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def rows_of_tables(tables: Sequence[Path], folder: Path, reader: GoldReader) -> Iterator[tuple[str, Any]]:
    """Yield place and row of every question, in the form of visa.jsonl; the images are written into `folder`.

    A row that is no good is a ValueError. Questions whose candidates are missing are told to `reader`, all in one line.
    Raises GoldUnreadable.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, str] = {}
    questions: list[tuple[str, dict[str, Any]]] = []
    for where, row in _rows(tables):
        try:
            image = _written(of(row, "image", dict), folder)
        except ValueError as error:
            yield where, error
            continue
        name = str(of(row, "id", object))
        files.setdefault(name, image)
        if row.get("question"):
            questions.append((where, {**row, "id": name, "image": image}))
    lacking = []
    for where, row in questions:
        yield where, _single(row)
        named = [str(other) for other in (row.get("candidates") or ())]
        if named and all(other in files for other in named):
            yield where, _several(row, [files[other] for other in named])
        elif named:
            lacking.append(next(other for other in named if other not in files))
    if lacking:
        told = f"candidates of {len(lacking)} questions (such as {lacking[0]!r}) are in none of the tables"
        reader.leave_out(f"{told}: these are asked with their own page only", len(lacking))


def _rows(tables: Sequence[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield place and row, a few rows in memory at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for path in tables:
        try:
            with pq.ParquetFile(path) as table:
                number = 0
                for batch in table.iter_batches(ROWS_AT_ONCE):
                    for row in batch.to_pylist():
                        number += 1
                        yield f"{path.name}, row {number}", row
        except (pa.ArrowException, OSError) as error:
            raise GoldUnreadable(f"{path}: it is not a readable Parquet file ({error}): download it again") from None


def _written(image: Mapping[str, Any], folder: Path) -> str:
    """Write an image under its hash and return the file's name. Raises ValueError for what is no image."""
    from PIL import Image

    data = image.get("bytes")
    if not isinstance(data, bytes):
        raise ValueError("its image has no bytes")  # noqa: TRY004
    try:
        with Image.open(io.BytesIO(data)) as opened:
            suffix = SUFFIXES.get(opened.format or "")
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"its image cannot be read ({error})") from None
    if suffix is None:
        raise ValueError(f"its image is of another format than {', '.join(SUFFIXES)}")
    file = folder / (hashlib.sha256(data).hexdigest()[:24] + suffix)
    if not file.is_file():
        part = file.with_suffix(".part")
        part.write_bytes(data)
        part.replace(file)
    return file.name


def _single(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the question with its own page alone, which answers."""
    return {**_asked(row), "candidates": [row["image"]], "oracle": 0}


def _several(row: Mapping[str, Any], files: Sequence[str]) -> dict[str, Any]:
    """Return the question with its candidates; -1, or no number of one, says that none of them answers."""
    place = row.get("pos_idx")
    oracle = place if isinstance(place, int) and 0 <= place < len(files) else None
    return {**_asked(row), "id": f"{row['id']} among {len(files)}", "candidates": list(files), "oracle": oracle}


def _asked(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what both have: the box is cut where it leaves the image, as the screenshot was."""
    kept = {key: row[key] for key in ("id", "question", "short_answer", "image_size") if row.get(key) is not None}
    box = row.get("bounding_box")
    if isinstance(box, list) and len(box) == 4 and all(isinstance(side, int | float) for side in box):
        width, height = kept.get("image_size") or (float("inf"), float("inf"))
        box = [max(0, box[0]), max(0, box[1]), min(width, box[2]), min(height, box[3])]
    return {**kept, "bbox": box, "kind": kind_of(row)}


def kind_of(row: Mapping[str, Any]) -> str:
    """Return the kind by which the paper's table groups a question.

    >>> kind_of({"long_answer_type": "p", "bounding_box": [0, 980, 10, 990]})
    'beyond first page'
    """
    said = next((str(row[key]).lower() for key in KINDS if row.get(key)), "")
    if said not in PASSAGES:
        return "non-passage" if said else "unlabelled"
    _, top, *_ = row.get("bounding_box") or (0, 0)
    return "beyond first page" if (top or 0) >= FIRST_PAGE else "passage"
