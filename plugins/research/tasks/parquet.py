"""Published tables, Parquet files with images in their rows: found, read a few rows at a time, images written out."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation import GoldUnreadable

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
