"""The form into which every benchmark is read: questions with their gold, and the unusable data, named and counted.

A reader takes the good lines, questions and boxes, and says of every other one its place and its fault.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from evaluation.errors import GoldUnreadable
from evaluation.metrics import PageBox

SLACK = 0.01
"""The share of the page by which a gold box may reach over its edge; further out it is not of this page."""
FRACTIONS = (1.0, 1.0)

Figures = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question of a benchmark.

    `documents` are the ids of the documents that it is asked of; pages and boxes number them from 1 in this order.
    `groups` are a name or more a grouping; `more` are values that only its task knows. `shown` are the pages (document
    id, page from 1) that method visa is given, all and in this order; without them it is shown the best that are found.
    """

    qid: str
    text: str
    answer: str
    documents: tuple[str, ...]
    pages: frozenset[int] = frozenset()
    boxes: tuple[PageBox, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    image: Path | None = None
    shown: tuple[tuple[str, int], ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def places(self) -> frozenset[tuple[str, int]]:
        """The (document id, page) pairs of all gold pages and boxes."""
        pages = {(self.documents[0], page) for page in self.pages} if len(self.documents) == 1 else set()
        return frozenset(pages | {(self.documents[box.doc - 1], box.page) for box in self.boxes})


@dataclass(frozen=True, slots=True)
class Gold:
    """A data set: the questions that can be asked, the files by document id, and the problems of unusable data."""

    questions: tuple[GoldQuestion, ...]
    files: Mapping[str, Path]
    problems: tuple[str, ...]
    left_out: int
    sha256: str


def file_id(path: Path) -> str:
    """Return the id that indexing gives to a file: the first 16 hex digits of its sha256. Raises ValueError."""
    try:
        status = path.stat()
        return _file_id(path, status.st_size, status.st_mtime_ns)
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror})") from None


@lru_cache(maxsize=4096)
def _file_id(path: Path, size: int, mtime: int) -> str:  # noqa: ARG001  a changed file is read again
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def page_count(path: Path) -> int | None:
    """Return the number of pages of a PDF; None for any other file, and for one that cannot be opened."""
    if path.suffix.lower() != ".pdf":
        return None
    import pymupdf  # brings ONNX Runtime in, which must find the environment as `indexing` sets it

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        with pymupdf.open(path) as document:
            return document.page_count or None
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):  # ValueError: it is encrypted
        return None


class GoldReader:
    """The questions and files of a data set as they are read, and the problems of rows that cannot be used."""

    def __init__(self) -> None:
        self.questions: list[GoldQuestion] = []
        self.files: dict[str, Path] = {}
        self.problems: list[str] = []
        self.left_out = 0
        self._where: dict[str, str] = {}
        self._pages: dict[str, int | None] = {}

    def each(self, rows: Iterable[tuple[str, Any]], take: Callable[[str, Any], None]) -> None:
        """Call `take(place, row)` for each row; if it raises ValueError, record the row as left out."""
        for where, row in rows:
            try:
                take(where, row)
            except ValueError as error:
                self.leave_out(f"{where}: {reason(error)}")

    def take(self, where: str, question: GoldQuestion, files: Mapping[str, Path]) -> None:
        """Add a question, and the files of those of its documents that may have to be indexed.

        Raises ValueError if its id is taken, or if a gold page is beyond the end of its document.
        """
        if question.qid in self._where:
            raise ValueError(f"its id {question.qid!r} is that of {self._where[question.qid]}")
        for doc_id, page in question.places:
            if doc_id not in self._pages:
                self._pages[doc_id] = page_count(files[doc_id]) if doc_id in files else None
            count = self._pages[doc_id]
            if count is not None and page > count:
                raise ValueError(f"its gold is on page {page}, counted from 1, but {files[doc_id].name} has {count}")
        self._where[question.qid] = where
        self.questions.append(question)
        self.files |= files

    def leave_out(self, problem: str, count: int = 1) -> None:
        """Record the problem of data that cannot be used, and the number of questions that are lost by it."""
        self.left_out += count
        self.problems.append(problem)

    def note(self, problem: str) -> None:
        """Record a problem of a question that is asked nevertheless."""
        self.problems.append(problem)

    def gold(self, source: Path, digest: str, limit_docs: int | None = None) -> Gold:
        """Return all questions or, with `limit_docs`, those about that many smallest files. Raises GoldUnreadable."""
        if not self.questions:
            why = "\n  ".join(self.problems[:10]) or "it is empty"
            raise GoldUnreadable(f"{source}: contains no question that can be asked:\n  {why}")
        by_size = sorted(self.files.items(), key=lambda item: (item[1].stat().st_size, item[1].name))
        doc_ids = {doc_id for doc_id, _ in by_size[:limit_docs]}
        questions = tuple(q for q in self.questions if limit_docs is None or doc_ids.issuperset(q.documents))
        if not questions:
            raise GoldUnreadable(f"{source}: no question is about the {limit_docs} smallest documents alone: use more")
        return Gold(
            questions,
            {doc_id: file for doc_id, file in self.files.items() if doc_id in doc_ids},
            tuple(self.problems),
            self.left_out,
            digest,
        )


# ---- files ---------------------------------------------------------------------------------------------------------


def text_of(path: Path) -> tuple[str, str]:
    """Return the text of a data file and its sha256. Raises GoldUnreadable."""
    try:
        data = path.read_bytes()
        return data.decode("utf-8-sig"), hashlib.sha256(data).hexdigest()
    except OSError as error:
        raise GoldUnreadable(f"{path}: cannot be read ({error.strerror}): check the path") from None
    except UnicodeDecodeError as error:
        raise GoldUnreadable(f"{path}: is not UTF-8 text (byte {error.start}): save it as UTF-8") from None


def found_in(data: Path, names: Sequence[str]) -> Path:
    """Return the data file: `data` itself or, in a folder, the first of `names` that exists. Raises GoldUnreadable."""
    if not data.is_dir():
        return data
    for name in names:
        if (data / name).is_file():
            return data / name
    raise GoldUnreadable(f"{data}: has no {' or '.join(names)}: give the file itself with --data")


def rows_of(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """Yield (place, object) for each object of a data file; for an unreadable line, the object is a ValueError.

    A file is one JSON array, or an object a line.
    """
    if text.lstrip().startswith("["):
        try:
            rows = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise GoldUnreadable(f"{path}: {reason(error)}") from None
        for number, row in enumerate(rows, 1):
            yield f"{path.name}, entry {number}", row
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"{path.name}, line {number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                yield f"{path.name}, line {number}", ValueError(reason(error))


# ---- values --------------------------------------------------------------------------------------------------------


def of(row: Any, key: str, kind: type, *others: str) -> Any:
    """Return `row[key]`, or else the value of the first of `others` in `row`. Raises ValueError if it is no `kind`."""
    if isinstance(row, ValueError):
        raise row
    if not isinstance(row, dict):
        raise ValueError(f"expected an object with {key!r}, found {_shortened_json(row)}")  # noqa: TRY004
    name = key if key in row else next((name for name in others if name in row), None)
    if name is None:
        raise ValueError(f"has no {key!r} (it has: {', '.join(map(str, row)) or 'nothing'})")
    if not isinstance(row[name], kind):
        raise ValueError(f"{name!r} is {_shortened_json(row[name])}, expected a {kind.__name__}")  # noqa: TRY004
    return row[name]


def _shortened_json(value: Any) -> str:
    """Return the first 40 characters of a value as JSON; values unknown to JSON (a YAML date) become text."""
    return json.dumps(value, default=str)[:40]


def page_number(value: Any, first: int = 1) -> int:
    """Return a page number counted from 1, given one of a data set that counts from `first`. Raises ValueError."""
    if not isinstance(value, int) or isinstance(value, bool) or value < first:
        raise ValueError(f"{value!r} is not a page number: pages are numbered from {first}")
    return value - first + 1


def box(values: Any, size: tuple[float, float] = FRACTIONS) -> tuple[float, float, float, float]:
    """Return a box in fractions of the page; `size` is the page's, in the units of `values`. Raises ValueError."""
    if (
        not isinstance(values, list | tuple)
        or len(values) != 4
        or not all(isinstance(v, int | float) and not isinstance(v, bool) and math.isfinite(v) for v in values)
    ):
        raise ValueError(f"{values!r} is not a box: expected four numbers x0, y0, x1, y1")
    width, height = size
    if max(size) > 1 and all(abs(v) <= 1 for v in values):
        raise ValueError(f"the box {list(values)!r} is in fractions of the page, not on one of {width:g} x {height:g}")
    x0, y0, x1, y1 = values[0] / width, values[1] / height, values[2] / width, values[3] / height
    if not (-SLACK <= x0 < x1 <= 1 + SLACK and -SLACK <= y0 < y1 <= 1 + SLACK):
        of_what = "in fractions of the page (0 to 1)" if size == FRACTIONS else f"on a page of {width:g} x {height:g}"
        raise ValueError(f"the box {list(values)!r} is inverted or not {of_what}")
    return x0, y0, x1, y1


def page_size(value: Any) -> tuple[float, float]:
    """Return width and height of a page. Raises ValueError."""
    if (
        not isinstance(value, list | tuple)
        or len(value) != 2
        or not all(isinstance(v, int | float) and math.isfinite(v) and v > 0 for v in value)
    ):
        raise ValueError(f"{value!r} is not a page size: expected width and height")
    return float(value[0]), float(value[1])


def reason(error: Exception) -> str:
    """Return a readable message for an error of reading JSON or a value."""
    if isinstance(error, json.JSONDecodeError):
        return f"is not JSON ({error.msg} at column {error.colno})"
    return str(error) if isinstance(error, ValueError) else "is nested too deeply"
