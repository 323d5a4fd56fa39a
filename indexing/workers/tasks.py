"""The tasks of a worker: open a file, then parse, read, draw or compare one page a task, in limited time and memory.

Everything except `Job` and `OpenedFile` runs inside a worker process (`indexing.workers.pool`).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

import psutil

from indexing.conversion import (
    convert,
    converted_formats,
    elements_of,
    has_elements,
    read_page_of,
    write_pages,
)
from indexing.errors import DamagedFile, FileError, NotReadable, PageCrash
from indexing.metadata import Metadata
from indexing.settings import IndexingSettings
from indexing.types import SILENT_KINDS, ParsedPage

if TYPE_CHECKING:
    import pymupdf

    from indexing.parse import PrintedPage
    from indexing.types import Element, LayerWord, Mark, MarkedPdf, Mismatch, Region
    from vouch.hooks import FileFormat

T = TypeVar("T")
OUT_OF_MEMORY = 78
"""The exit code of a worker that ran out of memory: it would run out again on the next page, so it is replaced."""
REOPEN_AFTER = 100
"""The number of pages after which a worker opens its file again: MuPDF caches what it has read of an open file."""


@dataclass(frozen=True, slots=True)
class Job:
    """The file of a task. `pages` is the PDF of its rendition, if it has one (`OpenedFile.pages`)."""

    path: Path
    password: str | None = field(repr=False)
    settings: IndexingSettings
    pages: Path | None = None

    @property
    def source_format(self) -> FileFormat | None:
        """The format that is converted before it can be read, as long as there is no rendition."""
        return None if self.pages else converted_formats().get(self.path.suffix.lower())


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """The result of opening a file.

    `cut_short` is True if it had to be repaired and lacks its end, `locked` if it needed its password. `pages` is the
    PDF of its rendition, in the folder of the workers; `notes` are sentences about that; `attachments` are name and
    path of each file in it, which becomes a document of its own.
    """

    n_pages: int
    title: str
    cut_short: bool
    locked: bool
    pages: Path | None = None
    metadata: Metadata = field(default_factory=Metadata)
    notes: tuple[str, ...] = ()
    attachments: tuple[tuple[str, Path], ...] = ()


@dataclass(slots=True)
class _OpenFile:
    key: tuple[str, str | None] = field(repr=False)
    stamp: tuple[int, int, int] | None
    document: pymupdf.Document
    pages: int = 0


_current: list[_OpenFile] = []
_memory_limit: list[int] = []


def prepare_process(patient: bool = False) -> None:
    """Ignore Ctrl-C, end with the parent process, create files for the owner alone, limit ONNX models to one thread.

    A `patient` process runs at the lowest priority.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if patient:
        os.nice(19)
    os.umask(0o077)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process: the limit of `_timed`
    warnings.simplefilter("ignore")  # Pillow's remarks on damaged files: what matters becomes a FileError
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG, Linux only
    one_thread_a_model()


def one_thread_a_model() -> None:
    """Let ONNX models that other libraries load compute with one thread, as there are as many workers as processors.

    PyMuPDF loads its layout model with as many threads as the machine has processors, each pinned to one of them and
    busy while it waits: two workers on two processors then take half as long again for the same pages. It has no
    setting for that.
    """
    import onnxruntime

    class OneThread(onnxruntime.SessionOptions):  # type: ignore[misc]  # the library is not typed
        def __init__(self) -> None:
            super().__init__()
            self.intra_op_num_threads = 1

    onnxruntime.SessionOptions = OneThread


def run_timed(seconds: float, task: Callable[..., T], *args: object) -> T:
    """Run a task; the system ends this process if the task takes more seconds of processor time."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return task(*args)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _give_back_memory() -> None:
    """Empty MuPDF's store, and return freed memory to the system, so that one large page leaves no large worker."""
    import pymupdf

    pymupdf.TOOLS.store_shrink(100)
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)  # glibc only


def _limit_memory(settings: IndexingSettings) -> None:
    """Limit the memory of this process to the setting plus what it has mapped with its models loaded.

    If the system does not support such a limit (macOS), or has a lower one, none is set: then only the time of a page
    is limited.
    """
    if _memory_limit:
        return
    limit = psutil.Process().memory_info().vms + settings.worker_memory_mb * 1024 * 1024
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    _memory_limit.append(limit)


def _document(job: Job) -> pymupdf.Document:
    """Return the open file of a job, kept open between tasks unless the file was replaced."""
    key, stamp = (str(job.pages or job.path), job.password), stamp_of(job.pages or job.path)
    if _current:
        file = _current[0]
        is_replaced = stamp is not None and stamp != file.stamp
        if file.key != key or is_replaced or file.pages >= REOPEN_AFTER:
            _current.pop().document.close()
    if not _current:
        remaining, _ = signal.setitimer(signal.ITIMER_PROF, job.settings.open_seconds)
        try:
            _current.append(_OpenFile(key, stamp, _open_pages(job)))
        finally:
            signal.setitimer(signal.ITIMER_PROF, remaining)  # a page need not pay for opening its file
    _current[0].pages += 1
    return _current[0].document


def _page(job: Job, number: int) -> pymupdf.Page:
    """Return page `number` (from 1) of the file of a job."""
    return _document(job)[number - 1]


def stamp_of(path: Path) -> tuple[int, int, int] | None:
    """Return a stamp that changes when the file is replaced; None for a missing file."""
    with contextlib.suppress(OSError):
        stat = path.stat()
        return stat.st_ino, stat.st_size, stat.st_mtime_ns
    return None


def _open_pages(job: Job) -> pymupdf.Document:
    """Return the opened file of a job, or its rendition, which is made here, in memory, if it is needed and missing."""
    from indexing.parse import open_pages, rendered_pages

    if job.source_format is None or not job.source_format.program:
        _limit_memory(job.settings)
    if job.source_format is not None:
        return rendered_pages(job.path, convert(job.path, job.settings), job.settings)
    return open_pages(job.pages or job.path, job.settings, job.password)


def open_file(job: Job, folder: Path | None = None) -> OpenedFile:
    """Open a file, and make its rendition in `folder` if it needs one."""
    try:
        if job.source_format is not None and folder is not None:
            return _convert(job, folder)
        document = _document(job)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except (FileError, OSError):
        raise
    except Exception as error:  # noqa: BLE001  a process boundary, as in _boundary
        raise DamagedFile(f"{job.path.name}: damaged ({type(error).__name__}: {error!s:.160}): get it again") from None
    return _opened_file(job, document)


def _convert(job: Job, folder: Path) -> OpenedFile:
    """Write the rendition of a file to `folder`: a PDF, its elements beside it, and the attachments."""
    from indexing.parse import rendered_pages

    if job.source_format is not None and not job.source_format.program:
        _limit_memory(job.settings)
    rendition = convert(job.path, job.settings)
    name = uuid4().hex
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    pages = folder / f"{name}.pdf"
    count = rendered_pages(job.path, rendition, job.settings).page_count
    pages.write_bytes(rendition.pdf)
    if rendition.pages is not None:
        write_pages(elements_of(pages), rendition.pages)
    attachments = []
    for number, attachment in enumerate(rendition.attachments, 1):
        target = folder / f"{name}-{number}" / attachment.name
        target.parent.mkdir(mode=0o700)
        target.write_bytes(attachment.content)
        attachments.append((attachment.name, target))
    return OpenedFile(
        count, rendition.title[:300], False, False, pages, rendition.metadata, rendition.notes, tuple(attachments)
    )


def _opened_file(job: Job, document: pymupdf.Document) -> OpenedFile:
    """Return the number of pages, the title and the metadata of an opened file, and if it is cut short or locked."""
    from indexing.parse import is_locked, metadata_of

    title = " ".join(str((document.metadata or {}).get("title") or "").split())[:300]
    with job.path.open("rb") as file:
        file.seek(max(0, job.path.stat().st_size - 2048))
        has_end = b"%%EOF" in file.read()
    pdf = job.path.suffix.lower() == ".pdf"
    cut_short = pdf and bool(document.is_repaired) and not has_end
    needs_password = pdf and job.password is not None and is_locked(job.path)
    return OpenedFile(document.page_count, title, cut_short, needs_password, metadata=metadata_of(document))


def unlock_file(job: Job, target: Path) -> None:
    """Write a file to `target` without its password."""
    import pymupdf

    try:
        _document(job).save(target, encryption=pymupdf.PDF_ENCRYPT_NONE, garbage=1)
    except Exception as error:  # noqa: BLE001  a process boundary, as in _boundary
        raise NotReadable(f"{job.path.name}: no copy without a password could be kept ({error!s:.120})") from None


@contextlib.contextmanager
def _boundary(what: str) -> Iterator[None]:
    """Turn any error of a library into a failure of this task; running out of memory ends the process."""
    try:
        yield
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except FileError:
        raise
    except Exception as error:  # noqa: BLE001  a process boundary
        raise _as_file_error(error, what) from None
    finally:
        _give_back_memory()


def parse_numbered(job: Job, number: int, doc_id: str) -> ParsedPage:
    """Parse page `number` (from 1)."""
    from indexing.parse import image_caption, parse_page, place_page

    with _boundary(f"{job.path.name}: page {number}"):
        if job.pages and has_elements(job.pages):
            stored_page = read_page_of(elements_of(job.pages), number)
            return place_page(_page(job, number), stored_page, doc_id, job.settings)
        return parse_page(_page(job, number), doc_id, job.settings, image_caption(job.path))


def read_numbered(job: Job, number: int, most: int) -> str:
    """Read the text of page `number` (from 1); if OCR reads it, about the first `most` characters."""
    from indexing.parse import needs_ocr, scanned_text

    with _boundary(f"{job.path.name}: page {number}"):
        page = _page(job, number)
        if not (job.pages and has_elements(job.pages)) and needs_ocr(page, job.settings):
            text = scanned_text(page, job.settings.ocr_pixels, most)
            if text or not page.get_text().strip():  # a text layer of a word or two is better than nothing
                return text
    parsed_page = parse_numbered(job, number, "attached")
    texts = (e.text for e in parsed_page.elements if e.kind not in ("group", *SILENT_KINDS))
    return "\n".join(text for text in texts if text)


def read_printed_numbered(job: Job, number: int) -> PrintedPage:
    """Read the typography of page `number` (from 1)."""
    from indexing.parse import printed_page

    with _boundary(f"{job.path.name}: page {number}"):
        return printed_page(_page(job, number), job.settings)


def draw_numbered(job: Job, number: int, width: int) -> bytes:
    """Draw page `number` (from 1) as PNG, `width` pixels wide."""
    import pymupdf

    with _boundary(f"{job.path.name}: page {number}"):
        page = _page(job, number)
        zoom = width / page.rect.width
        png: bytes = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), alpha=False).tobytes("png")
        return png


def compare_numbered(job: Job, number: int, lines: Sequence[Sequence[LayerWord]]) -> tuple[tuple[Mismatch, ...], ...]:
    """Return, for each line, the words that look different on page `number` (from 1)."""
    from indexing.parse import mismatches_by_line

    with _boundary(f"{job.path.name}: page {number}"):
        load_alphabet()  # the models do not count towards the memory of a page
        return mismatches_by_line(_page(job, number), lines)


def see_numbered(job: Job, number: int, elements: Sequence[Element]) -> tuple[Region, ...]:
    """Return the paragraphs that are legible on page `number` (from 1), which has `elements`."""
    from indexing.parse import seen_regions

    with _boundary(f"{job.path.name}: page {number}"):
        load_alphabet()
        return seen_regions(_page(job, number), elements, job.settings.ocr_pixels)


def load_alphabet() -> None:
    """Load the models for comparing."""
    from indexing.parse import alphabet

    alphabet()


def mark_file(job: Job, marks: Sequence[Mark]) -> MarkedPdf:
    """Return a file as a PDF with marks on its pages."""
    from indexing.parse import annotate

    with _boundary(f"{job.path.name}: marking its pages"):
        # A document of its own: the one that is kept open for drawing must not show the marks.
        return annotate(_open_pages(job), marks)


def _as_file_error(error: Exception, what: str) -> FileError:
    """Return the error of a page for a library's error; end the process if memory ran out."""
    message = (str(error).strip().splitlines() or [type(error).__name__])[-1][:160]  # of a traceback, the last line
    if any(word in str(error).lower() for word in ("malloc", "alloc", "memory")):
        os._exit(OUT_OF_MEMORY)
    return PageCrash(
        f"{what} could not be parsed ({type(error).__name__}: {message}): repair the file with another program"
    )
