"""Saved web pages as documents: HTML, and MHTML, in which a browser saves a page as a single file.

A page is laid out from its text; nothing that it refers to is fetched, and no script runs.
"""

from __future__ import annotations

import email
from email.message import Message
from itertools import islice
from pathlib import Path

from indexing import DamagedFile, IndexingSettings, Metadata, NoPages, TooLarge
from indexing.conversion import Rendition
from plugins.formats.html import read_html
from plugins.formats.texts import lay_out

MAX_MB = 64
MAX_PARTS = 20_000
_HTML = ("text/html", "application/xhtml+xml")


def web_rendition(path: Path, settings: IndexingSettings) -> Rendition:
    """Lay out a saved web page. Raises DamagedFile, NoPages, TooLarge."""
    with path.open("rb") as file:
        content: str | bytes = file.read(MAX_MB * 1024 * 1024 + 1)
    if len(content) > MAX_MB * 1024 * 1024:
        raise TooLarge(f"{path.name}: a web page of more than {MAX_MB} MB: save it as a PDF and index that")
    url = ""
    if isinstance(content, bytes) and path.suffix.lower() in (".mhtml", ".mht"):
        content, url = _html_of(content, path.name)
    page = read_html(content)
    left_out = f"its pictures ({page.pictures}) were left out: save the page as a PDF to have them read"
    metadata = Metadata(author=page.author, language=page.language, url=url)
    return lay_out(path, page.blocks, settings, page.title, metadata, [left_out] if page.pictures else [])


def _html_of(content: bytes, name: str) -> tuple[str | bytes, str]:
    """Return the HTML in an MHTML file, and the web address that it was saved from, "" if unknown."""
    if b"MIME-Version:" not in content[:65_536]:
        raise DamagedFile(f"{name}: not MHTML although its extension says so: save the page again")
    try:
        message = email.message_from_bytes(content)
        part = next((one for one in islice(message.walk(), MAX_PARTS) if one.get_content_type() in _HTML), None)
    except RecursionError:
        raise DamagedFile(f"{name}: its parts are nested too deeply: save the page again") from None
    body = part.get_payload(decode=True) if part is not None and not part.is_multipart() else None
    if part is None or not isinstance(body, bytes):
        raise NoPages(f"{name}: contains no HTML page: save the page again")
    url = _header(message, "Snapshot-Content-Location") or _header(part, "Content-Location")
    try:
        text: str | bytes = body.decode(part.get_content_charset() or "utf-8")
    except (LookupError, UnicodeDecodeError):
        text = body  # the page itself names its encoding
    return text, url if url.startswith(("https://", "http://")) else ""


def _header(part: Message, name: str) -> str:
    return "".join(c for c in str(part.get(name) or "") if " " < c <= "~")[:2000]
