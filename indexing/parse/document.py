"""A file -> an opened document, every way in which that fails as a named error.

All of it runs inside a worker (`indexing.workers`), except for `identify`, which only looks at names and headers. Every
format becomes a PDF here (`open_pages`), so that later stages know one kind of page.
"""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path

import pymupdf

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
from indexing.settings import IndexingSettings

FORMATS = {
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
"""The extensions that Vouch reads, and the format each promises."""

IMAGES = ("png", "jpeg", "webp", "tiff")
MB = 1024 * 1024

pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)


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
        raise FileMissing(f"{path}: nothing there: check the spelling") from None
    except PermissionError:
        raise NotReadable(f"{path.name}: no permission to read it: change its mode or owner") from None
    except (OSError, ValueError) as error:
        raise NotReadable(f"{path.name}: cannot be read ({error}): check the disk and the name") from None
    actual, promised = _magic(head), FORMATS.get(path.suffix.lower())
    if promised is None:
        raise UnsupportedFile(
            f"{path.name}: Vouch reads {', '.join(sorted(FORMATS))}, not {path.suffix or 'files without extension'}: "
            "save it as a PDF first"
        )
    if actual is None:
        if promised == "pdf":
            raise DamagedFile(f"{path.name}: not a PDF file although it is named {path.suffix}: get it again")
        raise UnsupportedFile(f"{path.name}: its content is not what {path.suffix} says: get it again or rename it")
    if actual == "zip":
        actual = promised if promised in ("xps", "epub") else "zip"
    if actual != promised:
        raise UnsupportedFile(f"{path.name}: named {path.suffix} but its content is {actual}: rename it")
    return actual


def _magic(head: bytes) -> str | None:
    """Return the format by its signature; None when unknown. PDF allows up to 1,024 bytes before its header."""
    if b"%PDF-" in head[:1100]:
        return "pdf"
    signatures = (
        (b"\x89PNG\r\n\x1a\n", "png"),
        (b"\xff\xd8\xff", "jpeg"),
        (b"II*\x00", "tiff"),
        (b"MM\x00*", "tiff"),
        (b"II+\x00", "tiff"),
        (b"PK\x03\x04", "zip"),
    )
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "webp"
    return next((name for mark, name in signatures if head.startswith(mark)), None)


def open_pages(path: Path, settings: IndexingSettings, password: str | None = None) -> pymupdf.Document:
    """Open a file as a PDF document (other formats are converted), within the limits of `settings`."""
    kind = identify(path, settings)
    if kind in IMAGES:
        _check_pixels(path, settings)
    elif kind in ("epub", "xps"):
        _check_unpacked(path, settings)
    try:
        document = pymupdf.open(stream=_webp_as_png(path), filetype="png") if kind == "webp" else pymupdf.open(path)
        if document.needs_pass and not (password and document.authenticate(password)):
            hint = "the password is wrong" if password else "give its password with --password - or VOUCH_PASSWORD"
            raise EncryptedFile(f"{path.name}: encrypted: {hint}")
        if kind != "pdf":
            if document.page_count > settings.max_pages:
                raise _too_many(path, document.page_count, settings)
            document = pymupdf.open(stream=document.convert_to_pdf(), filetype="pdf")
        pages = document.page_count
        if pages and kind == "pdf":
            document.load_page(0)
    except FileError:
        raise
    except (RuntimeError, ValueError, OSError, MemoryError, pymupdf.mupdf.FzErrorBase) as error:
        raise DamagedFile(
            f"{path.name}: damaged or cut short ({_short(error, path)}): get it again, or repair it elsewhere"
        ) from None
    if pages == 0:
        raise NoPages(f"{path.name}: the file has no pages: get it again from its source")
    if pages > settings.max_pages:
        raise _too_many(path, pages, settings)
    return document


def is_locked(path: Path) -> bool:
    """Return True if a PDF needs a password. It opens a handle of its own: one that is asked forgets its password."""
    with pymupdf.open(path) as document:
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
    """Return the first line of an error, without the folder of the file (an upload's must not be shown)."""
    said = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return said.replace(f"{path.parent}/", "")[:120]
