"""A file -> an opened document with the printed numbers of its pages; every way in which that fails is named.

They are in a tree of ranges (ISO 32000, 12.4.2). As files can be malicious, the tree is walked within limits, a label
is a short line of text, and a number too large for its style is no label.

All of it runs inside a worker (`indexing.workers`), except for `identify`, which only looks at names and headers and
does without PyMuPDF. Every format becomes a PDF here (`open_pages`), so that later stages know one kind of page.
"""

from __future__ import annotations

import contextlib
import io
import stat
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pymupdf
from pymupdf import mupdf

from indexing.conversion import Rendition, converted_formats
from indexing.errors import (
    DamagedFile,
    EmptyFile,
    EncryptedFile,
    FileError,
    FileMissing,
    NoPages,
    NotReadable,
    TooLarge,
    UnsupportedFile,
)
from indexing.metadata import Metadata
from indexing.settings import IndexingSettings
from vouch.hooks import left_out_advice

MOST_CHARS = 40
"""The characters of a label; a longer one is none."""
_MOST_NODES, _DEEPEST = 5_000, 12
_MOST_ROMAN, _MOST_LETTERS = 3_999, 26 * 30
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def page_label(page: pymupdf.Page) -> str:
    """Return the label that the document gives a page; "" where it has none, or none that can be read."""
    document: pymupdf.Document = page.parent
    if not document.is_pdf:
        return ""
    try:
        root = mupdf.pdf_dict_gets(mupdf.pdf_trailer(mupdf.pdf_document_from_fz_document(document.this)), "Root")
        ranges = _ranges(mupdf.pdf_dict_gets(root, "PageLabels"))
        earlier = [(start, label_range) for start, label_range in ranges if start <= page.number]
        if not earlier:
            return ""
        start, label_range = max(earlier, key=lambda pair: pair[0])
        return _label(label_range, page.number - start)
    except (RuntimeError, ValueError, mupdf.FzErrorBase):
        return ""  # damaged: then the pages have no labels


def _ranges(tree: mupdf.PdfObj) -> Iterator[tuple[int, mupdf.PdfObj]]:
    """Yield the label ranges in a tree of page labels, each with the page (from 0) at which it begins."""
    nodes, budget = [(tree, 0)], _MOST_NODES
    while nodes and budget > 0:
        node, depth = nodes.pop()
        nums, kids = mupdf.pdf_dict_gets(node, "Nums"), mupdf.pdf_dict_gets(node, "Kids")
        for n in range(min(mupdf.pdf_array_len(nums) // 2, budget)):
            budget -= 1
            start = mupdf.pdf_array_get(nums, 2 * n)
            if mupdf.pdf_is_int(start):
                yield mupdf.pdf_to_int(start), mupdf.pdf_array_get(nums, 2 * n + 1)
        count = min(mupdf.pdf_array_len(kids), budget) if depth < _DEEPEST else 0
        nodes += [(mupdf.pdf_array_get(kids, n), depth + 1) for n in range(count)]
        budget -= count + 1


def _label(label_range: mupdf.PdfObj, at: int) -> str:
    """Return the label of page `at` (from 0) of a range; "" where its number is out of bounds."""
    prefix = mupdf.pdf_to_text_string(mupdf.pdf_dict_gets(label_range, "P"))[: 2 * MOST_CHARS]
    first = mupdf.pdf_dict_gets(label_range, "St")
    number = at + (mupdf.pdf_to_int(first) if mupdf.pdf_is_int(first) else 1)
    numeral = _numeral(number, mupdf.pdf_to_name(mupdf.pdf_dict_gets(label_range, "S")))
    label = "" if numeral is None else " ".join(f"{prefix}{numeral}".split())
    return label if len(label) <= MOST_CHARS and label.isprintable() else ""


def _numeral(number: int, style: str) -> str | None:
    """Return a number in a style (D, R, r, A, a; "" for none); None if the style cannot write it."""
    if style == "":
        return ""
    if style == "D" and number > 0:
        return str(number)
    if style in ("R", "r") and 0 < number <= _MOST_ROMAN:
        text = ""
        for value, letters in _ROMAN:
            text += letters * (number // value)
            number %= value
    elif style in ("A", "a") and 0 < number <= _MOST_LETTERS:
        text = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
    else:
        return None
    return text.upper() if style.isupper() else text


PAGED = {
    ".pdf": "pdf",
    ".xps": "xps",
    ".oxps": "xps",
    ".epub": "epub",
    ".png": "png",
    ".jpg": "jpeg",
    ".jpeg": "jpeg",
    ".webp": "webp",
    ".tif": "tiff",
    ".tiff": "tiff",
}
"""The extensions of files that have pages of their own, and the format each promises."""

IMAGES = ("png", "jpeg", "webp", "tiff")
ZIPPED = ("epub", "xps")
"""The formats with pages of their own whose files are ZIP archives."""
MB = 1024 * 1024


def readable_formats() -> dict[str, str]:
    """Return the extensions that Vouch reads, and the format each promises: its own, and those that plugins add."""
    return PAGED | {suffix: conversion.name for suffix, conversion in converted_formats().items()}


def is_zipped(suffix: str) -> bool:
    """Return True for the extension of documents that are ZIP archives themselves, as those of EPUB and Office are."""
    conversion = converted_formats().get(suffix)
    return PAGED.get(suffix) in ZIPPED or (conversion is not None and "zip" in conversion.containers)


def identify(path: Path, settings: IndexingSettings) -> str:
    """Return the format of a file, from its first bytes; raises the FileError that fits when it cannot be read."""
    try:
        info = path.stat()
        if not stat.S_ISREG(info.st_mode):
            raise NotReadable(f"{path.name}: not a regular file: name a file or a folder")
        if info.st_size == 0:
            raise EmptyFile(f"{path.name}: the file is empty (0 bytes): get it again from its source")
        if info.st_size > settings.max_file_mb * MB:
            raise TooLarge(
                f"{path.name}: {info.st_size // MB} MB, the limit is {settings.max_file_mb} MB: raise max_file_mb"
            )
        with path.open("rb") as file:
            head = file.read(4096)
    except FileNotFoundError:
        raise FileMissing(f"{path}: no such file: check the spelling") from None
    except PermissionError:
        raise NotReadable(f"{path.name}: no permission to read it: change its permissions or owner") from None
    except (OSError, ValueError) as error:
        raise NotReadable(f"{path.name}: cannot be read ({error}): check the disk and the name") from None
    suffix = path.suffix.lower()
    if suffix not in (readable := readable_formats()):
        raise UnsupportedFile(
            f"{path.name}: Vouch reads {', '.join(sorted(readable))}, not {path.suffix or 'files without extension'}: "
            + "; ".join(filter(None, ("save it as a PDF first", left_out_advice())))
        )
    return _check_format(path, _magic(head), suffix)


def _check_format(path: Path, actual: str | None, suffix: str) -> str:
    """Return the format that `suffix` promises; raises DamagedFile or UnsupportedFile if the `actual` one is not it."""
    conversion = converted_formats().get(suffix)
    if conversion is not None:
        if (actual or "text") not in conversion.containers:
            raise UnsupportedFile(
                f"{path.name}: named {path.suffix} but its content is {actual or 'something else'}: rename it"
            )
        return conversion.name
    expected = PAGED[suffix]
    if actual is None:
        if expected == "pdf":
            raise DamagedFile(f"{path.name}: not a PDF file although its extension is {path.suffix}: get it again")
        raise UnsupportedFile(
            f"{path.name}: its content does not match its extension {path.suffix}: get it again or rename it"
        )
    if actual == "zip":
        actual = expected if expected in ZIPPED else "zip"
    if actual != expected:
        raise UnsupportedFile(f"{path.name}: named {path.suffix} but its content is {actual}: rename it")
    return actual


def _magic(head: bytes) -> str | None:
    """Return the format whose signature `head` has; None if unknown. A PDF has up to 1,024 bytes before its header."""
    if b"%PDF-" in head[:1100]:
        return "pdf"
    signatures = (
        (b"\x89PNG\r\n\x1a\n", "png"),
        (b"\xff\xd8\xff", "jpeg"),
        (b"II*\x00", "tiff"),
        (b"MM\x00*", "tiff"),
        (b"II+\x00", "tiff"),
        (b"PK\x03\x04", "zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
        (b"{\\rtf", "rtf"),
    )
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "webp"
    return next((name for mark, name in signatures if head.startswith(mark)), None)


def open_pages(path: Path, settings: IndexingSettings, password: str | None = None) -> pymupdf.Document:
    """Open a file as a PDF document (other formats are converted), within the limits of `settings`."""
    from pymupdf.mupdf import FzErrorBase

    kind = identify(path, settings)
    if kind in IMAGES:
        _check_pixels(path, settings)
    elif kind in ZIPPED:
        _check_unpacked(path, settings)
    try:
        document = _open_pdf(stream=_webp_as_png(path), filetype="png") if kind == "webp" else _open_pdf(path)
        if document.needs_pass and not (password and document.authenticate(password)):
            hint = "the password is wrong" if password else "give its password with --password - or VOUCH_PASSWORD"
            raise EncryptedFile(f"{path.name}: encrypted: {hint}")
        if kind != "pdf":
            if document.page_count > settings.max_pages:
                raise _too_many(path, document.page_count, settings)
            document = _open_pdf(stream=document.convert_to_pdf(), filetype="pdf")
        pages = document.page_count
        if pages and kind == "pdf":
            document.load_page(0)
    except FileError:
        raise
    except (RuntimeError, ValueError, OSError, MemoryError, FzErrorBase) as error:
        raise DamagedFile(
            f"{path.name}: damaged or cut short ({_short(error, path)}): get it again, or repair it with "
            "another program"
        ) from None
    if pages == 0:
        raise NoPages(f"{path.name}: the file has no pages: get it again from its source")
    if pages > settings.max_pages:
        raise _too_many(path, pages, settings)
    return document


def _open_pdf(*file: Path, **stream: Any) -> pymupdf.Document:
    """Open a file or stream with PyMuPDF, which takes a second to import, without the messages it would print."""
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    return pymupdf.open(*file, **stream)


def rendered_pages(path: Path, rendition: Rendition, settings: IndexingSettings) -> pymupdf.Document:
    """Open the PDF of a file's rendition, if it has 1 to `max_pages` pages. Raises NoPages, TooLarge."""
    document = _open_pdf(stream=rendition.pdf, filetype="pdf")
    if document.page_count == 0:
        raise NoPages(f"{path.name}: nothing in it could be laid out on a page: check that it has content")
    if document.page_count > settings.max_pages:
        raise _too_many(path, document.page_count, settings)
    return document


def metadata_of(document: pymupdf.Document) -> Metadata:
    """Return the author, the day of creation and the language that a PDF states; "" for what it does not state."""
    metadata = document.metadata or {}
    author = " ".join(str(metadata.get("author") or "").split())[:300]
    language = document.xref_get_key(document.pdf_catalog(), "Lang")[1] if document.is_pdf else ""
    code = language.partition("-")[0].lower()
    return Metadata(
        date=_day(str(metadata.get("creationDate") or "")),
        author=author,
        language=code if code.isascii() and code.isalpha() and len(code) in (2, 3) and language != "null" else "",
    )


def _day(date: str) -> str:
    """Return a date in PDF syntax (`D:20240517...`) as an ISO 8601 day, month or year, as far as it is one; else ""."""
    digits = date.removeprefix("D:")[:8]
    for length, pattern, iso in ((8, "%Y%m%d", "%Y-%m-%d"), (6, "%Y%m", "%Y-%m"), (4, "%Y", "%Y")):
        with contextlib.suppress(ValueError):
            return datetime.strptime(digits[:length], pattern).strftime(iso)  # noqa: DTZ007  a day
    return ""


def is_locked(path: Path) -> bool:
    """Return True if a PDF needs a password. It opens the file again: the query makes a handle forget its password."""
    with _open_pdf(path) as document:
        return bool(document.needs_pass)


def _too_many(path: Path, pages: int, settings: IndexingSettings) -> TooLarge:
    return TooLarge(f"{path.name}: {pages} pages, the limit is {settings.max_pages}: split it or raise max_pages")


def _check_pixels(path: Path, settings: IndexingSettings) -> None:
    """Refuse pixel bombs by the size in the header, before anything is decoded."""
    from PIL import Image, UnidentifiedImageError

    limit, Image.MAX_IMAGE_PIXELS = settings.max_pixels, None
    try:
        with Image.open(path) as image:
            frames = getattr(image, "n_frames", 1)
            if frames > settings.max_pages:
                raise _too_many(path, frames, settings)
            for frame in range(frames):
                image.seek(frame)
                if image.width * image.height > limit:
                    raise TooLarge(
                        f"{path.name}: {image.width} x {image.height} pixels, the limit is {limit:,} in all: "
                        "scale it down or raise max_pixels"
                    )
            if image.format == "JPEG":  # MuPDF draws what it finds of a JPEG that is cut short, and says nothing
                image.draft("L", (1, 1))
                image.load()
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError, TypeError) as error:
        raise DamagedFile(f"{path.name}: damaged image ({_short(error, path)}): get it again") from None


def _check_unpacked(path: Path, settings: IndexingSettings) -> None:
    """Refuse zip bombs by the sizes in the directory of the archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            total = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise DamagedFile(f"{path.name}: damaged or cut short ({_short(error, path)}): get it again") from None
    if total > settings.max_unpacked_mb * MB:
        raise TooLarge(
            f"{path.name}: unpacks to {total // MB} MB, the limit is {settings.max_unpacked_mb}: raise max_unpacked_mb"
        )


def _webp_as_png(path: Path) -> bytes:
    """Convert WebP to PNG: MuPDF has no WebP decoder; Pillow has."""
    from PIL import Image

    buffer = io.BytesIO()
    with Image.open(path) as image:
        image.convert("RGB").save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def _short(error: BaseException, path: Path) -> str:
    """Return the first line of an error, without the folder of the file (an upload is in a private one)."""
    message = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return message.replace(f"{path.parent}/", "")[:120]
