"""A file, or the bytes of one -> a manuscript: its form is known by its content, and read by the module for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.audit.errors import DocumentUnreadable
from plugins.audit.manuscripts.composition import Form, Manuscript, PlacedStatement, build_manuscript
from plugins.audit.manuscripts.markdown import markdown_manuscript

if TYPE_CHECKING:
    from indexing import IndexingSettings, ParsedPage

MB = 1_000_000
MOST_BYTES: dict[Form, int] = {"text": 5 * MB, "html": 20 * MB, "docx": 100 * MB, "pages": 2000 * MB}
"""The most bytes of a file of each form that is read: the text of a book has a million."""
_PAGES = (b"%PDF-", b"\x89PNG\r\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"II+\0")
_HTML = re.compile(rb"<(?:!doctype\s+html|html[\s>]|head[\s>]|body[\s>])", re.IGNORECASE)
OnPage = Callable[[int, int], None]
"""A function that is called with the number of pages read so far, and of all pages."""


def read_manuscript(
    path: Path | str,
    password: str | None = None,
    *,
    name: str = "",
    settings: IndexingSettings | None = None,
    on_page: OnPage = lambda _done, _total: None,
) -> Manuscript:
    """Read a text to check: Markdown, plain text, HTML, DOCX, PDF, or another format with pages.

    A locked PDF is opened by `password`. `name` replaces the name of the file in messages. `on_page`
    is called after each page. Raises DocumentUnreadable, and for pages the FileError of the file.
    """
    path, display_name = Path(path), name or str(path)
    name = name or path.name
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(4096)
            form = form_of(head, path.suffix.lower())
            _check_size(size, form, name)
            data = head + file.read(MOST_BYTES[form]) if form != "pages" else b""
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise DocumentUnreadable(f"{display_name}: cannot be read ({reason}): check the path") from None
    if form == "pages":
        return _from_pages(path, name, password, settings, on_page)
    return _from_bytes(data, name, form)


def written_statements(text: str) -> Sequence[PlacedStatement]:
    """Return the statements of a pasted or sent text, read as Markdown; none for an empty text."""
    return _from_bytes(text.encode(errors="replace"), "text.md", "text").statements if text.strip() else ()


def form_of(head: bytes, suffix: str) -> Form:
    """Return the form of a file by its first bytes; by its suffix if they are text or a ZIP archive."""
    if any(mark in head[:1100] if mark == b"%PDF-" else head.startswith(mark) for mark in _PAGES):
        return "pages"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "pages"
    if head.startswith(b"PK\x03\x04"):
        return "pages" if suffix in (".epub", ".xps", ".oxps") else "docx"
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return "docx"
    if suffix in (".html", ".htm", ".xhtml") or (suffix not in (".md", ".markdown", ".txt") and _HTML.search(head)):
        return "html"
    return "text"


def suffix_of(data: bytes) -> str:
    """Return the suffix for a file with these bytes, a text without a name, so that it is read by its content."""
    form = form_of(data[:4096], "")
    if form != "pages":
        return ".docx" if form == "docx" else ""
    suffixes = {b"\x89P": ".png", b"\xff\xd8": ".jpg", b"II": ".tif", b"MM": ".tif", b"RI": ".webp"}
    return suffixes.get(data[:2], ".pdf")


def _check_size(size: int, form: Form, name: str) -> None:
    if size == 0:
        raise DocumentUnreadable(f"{name}: it is empty, so there is nothing to check: give another file")
    if size > MOST_BYTES[form]:
        raise DocumentUnreadable(f"{name}: it has more than {MOST_BYTES[form] // MB} MB: check it in parts")


def _from_bytes(data: bytes, name: str, form: Form) -> Manuscript:
    """Return the manuscript of text, HTML or DOCX, which is read in this process. Raises DocumentUnreadable."""
    if form == "docx":
        from plugins.audit.manuscripts.docx_file import docx_blocks, external_targets, open_docx

        document = open_docx(data, name)
        targets = external_targets(document)
        note = (
            f"{name} loads what lies elsewhere when a word processor opens it; nothing was: {', '.join(targets)[:300]}."
        )
        return build_manuscript(name, form, docx_blocks(document), (note,) if targets else ())
    if form == "html":
        from plugins.audit.manuscripts.web_page import web_page_blocks

        return build_manuscript(name, form, web_page_blocks(data, name))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise DocumentUnreadable(
            f"{name}: it is neither UTF-8 text nor HTML, DOCX or PDF: save it as one of these, and check that"
        )
    return markdown_manuscript(name, text)


def _from_pages(
    path: Path, name: str, password: str | None, settings: IndexingSettings | None, on_page: OnPage
) -> Manuscript:
    """Return the manuscript of a file with pages, which are read as for an index. Raises FileError too."""
    from plugins.audit.manuscripts.pages import page_blocks

    def read_pages() -> Generator[ParsedPage]:
        from indexing import pages_of

        with closing(pages_of(path, settings, password)) as pages:
            for page, total in pages:
                on_page(page.page.number, total)
                yield page

    with closing(read_pages()) as pages:
        manuscript = build_manuscript(name, "pages", page_blocks(pages))
    if not manuscript.statements:
        raise DocumentUnreadable(
            f"{name}: no text could be read on its pages, not even by OCR: it consists of pictures, so there "
            "is nothing to check"
        )
    return manuscript
