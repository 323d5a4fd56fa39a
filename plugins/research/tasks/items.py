"""The data of benchmarks: published Parquet tables, and items, texts and images, that become documents.

A citation of such a document is a citation of the item.
"""

from __future__ import annotations

import hashlib
import io
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evaluation import GoldUnreadable, render
from evaluation.tasks import GoldQuestion, PageRegion
from rag.llm import in_line

ROWS_AT_ONCE = 16
MOST_ROWS = 1_000_000
"""The most rows of a table."""
MOST_BYTES, MOST_PIXELS = 64 * 1024 * 1024, 120_000_000
"""The most bytes and pixels of an image in a row."""
SUFFIXES = {"PNG": ".png", "JPEG": ".jpg", "WEBP": ".webp"}


def tables_in(data: Path) -> list[Path]:
    """Return the tables: the file itself, or those of a folder, of the test split alone if files are named for it.

    >>> tables_in(Path("nowhere.jsonl"))
    []
    """
    if data.suffix == ".parquet":
        return [data]
    return of_test_split(data, sorted(data.rglob("*.parquet")) if data.is_dir() else [])


def of_test_split(folder: Path, files: Sequence[Path]) -> list[Path]:
    """Return those files of a folder that are named for the test split, or all if none is."""
    tests = [path for path in files if "test" in path.relative_to(folder).as_posix()]
    return tests or list(files)


def digest_of(files: Sequence[Path]) -> str:
    """Return the sha256 of the files, one after the other."""
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def table_rows(tables: Sequence[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (place, row) of all tables, with few rows in memory at a time. Raises GoldUnreadable."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for path in tables:
        try:
            with pq.ParquetFile(path) as table:
                if table.metadata.num_rows > MOST_ROWS:
                    raise GoldUnreadable(
                        f"{path}: it has {table.metadata.num_rows:,} rows, and {MOST_ROWS:,} are read: split the data"
                    )
                number = 0
                for batch in table.iter_batches(ROWS_AT_ONCE):
                    for row in batch.to_pylist():
                        number += 1
                        yield f"{path.name}, row {number}", row
        except (pa.ArrowException, OSError) as error:
            raise GoldUnreadable(f"{path}: it is not a readable Parquet file ({error}): download it again") from None


def write_image(image: Mapping[str, Any], folder: Path) -> Path:
    """Write an image (`{"bytes", "path"}`) under its hash, and return the file. Raises ValueError for anything else."""
    from PIL import Image

    data = image.get("bytes")
    if not isinstance(data, bytes):
        raise ValueError("its image has no bytes")  # noqa: TRY004
    if len(data) > MOST_BYTES:
        raise ValueError(f"its image has {len(data):,} bytes, and at most {MOST_BYTES:,} are read")
    try:
        with Image.open(io.BytesIO(data)) as picture:
            suffix, (width, height) = SUFFIXES.get(picture.format or ""), picture.size
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"its image cannot be read ({error})") from None
    if suffix is None:
        raise ValueError(f"its image is of another format than {', '.join(SUFFIXES)}")
    if width * height > MOST_PIXELS:
        raise ValueError(f"its image has {width} x {height} pixels, and at most {MOST_PIXELS:,} are read")
    file = folder / (hashlib.sha256(data).hexdigest()[:24] + suffix)
    if not file.is_file():
        part = file.with_suffix(".part")
        part.write_bytes(data)
        part.replace(file)
    return file


WHOLE = (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class SourceItem:
    """A piece of evidence that a question comes with: the id of its document, its modality, its text if it is one.

    `name` is that by which it is cited (`[1]`, `Figure 3`), where it has one; `caption` is that of a figure or table.
    """

    document: str
    kind: Literal["text", "figure", "table", "image"]
    text: str = ""
    name: str = ""
    caption: str = ""


def items_of(question: GoldQuestion) -> Mapping[str, SourceItem]:
    """Return the items of a question by document id."""
    items: Mapping[str, SourceItem] = question.more["items"]
    return items


def sentences_of(predicted: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """Return the sentences of an answer, each with the documents that it cites."""
    documents = [c["document"] for c in predicted.get("cited", ())]
    return [
        (s["text"], list(dict.fromkeys(documents[n] for n in s["citations"] if n < len(documents))))
        for s in predicted.get("sentences", ())
    ]


def drafts_of(predicted: Mapping[str, Any]) -> list[tuple[str, list[str]]] | None:
    """Return the sentences as the model wrote them, each with the documents that it named; None if no model wrote."""
    if "drafts" not in predicted:
        return None
    documents = [e["document"] for e in predicted["evidence"]]
    return [(d["text"], list(dict.fromkeys(documents[n] for n in d["named"]))) for d in predicted["drafts"]]


def judge_material(documents: Sequence[str], items: Mapping[str, SourceItem]) -> tuple[str, tuple[PageRegion, ...]]:
    """Return the texts of these documents for a judge, and the regions of those that are images."""
    texts = [
        in_line(items[d].text) or f"({items[d].kind}, see the picture)" if d in items else "(not known)"
        for d in documents
    ]
    regions = tuple(PageRegion(d, 1, WHOLE) for d in documents if d in items and not items[d].text)
    return "\n".join(f"{n}. {text}" for n, text in enumerate(texts, 1)), regions


def shuffle(items: Sequence[SourceItem], qid: str, seed: int) -> tuple[SourceItem, ...]:
    """Return the items in an order that depends on question and seed, and on nothing else."""
    shuffled_items = sorted(items, key=lambda item: item.document)
    random.Random(f"{seed} {qid}").shuffle(shuffled_items)  # noqa: S311  no secret
    return tuple(shuffled_items)


def displayed_size(path: Path) -> tuple[int, int] | None:
    """Return (width, height) in pixels of a displayed image, from its header; None if it cannot be read."""
    from PIL import ExifTags, Image

    try:
        with Image.open(path) as image:
            is_rotated = image.format == "JPEG" and image.getexif().get(ExifTags.Base.Orientation, 1) >= 5
            return (image.height, image.width) if is_rotated else image.size
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return None


def pixel_size(path: Path) -> tuple[int, int]:
    """Return (width, height) in pixels of a displayed image. Raises ValueError for one that cannot be read."""
    size = displayed_size(path)
    if size is None:
        raise ValueError(f"{path.name} cannot be read as an image")
    return size


WIDTH = 595.0
MARGIN = 40.0
LINE = 14.0
LETTERS = 90
"""The number of letters that fit on a line, about."""


def text_document(folder: Path, text: str) -> Path:
    """Return a one-page PDF of `text`, as high as needed; it is made once, and named after the text's hash."""
    path = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.pdf"
    if path.is_file():
        return path
    import pymupdf

    folder.mkdir(parents=True, exist_ok=True)
    lines = sum(len(paragraph) // LETTERS + 2 for paragraph in text.split("\n"))
    document = pymupdf.open()
    page = document.new_page(width=WIDTH, height=2 * MARGIN + LINE * (lines + 2))
    html = render("plugins.research:tasks/templates/text.html", paragraphs=[p for p in text.split("\n") if p.strip()])
    page.insert_htmlbox(pymupdf.Rect(MARGIN, MARGIN, page.rect.width - MARGIN, page.rect.height - MARGIN), html)
    part = path.with_suffix(".part")
    document.save(part, no_new_id=True, garbage=3, deflate=True)
    document.close()
    part.replace(path)
    return path
