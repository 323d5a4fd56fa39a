"""Web pages as documents: a saved page, or one at an address, becomes a rendition."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from indexing import BrowserMissing, FileError, IndexingSettings, Metadata, NoPages, UnsupportedFile
from indexing.conversion import FetchedFile, Rendition
from plugins.formats.html import read_html, short_language
from plugins.formats.web.archive import NOWHERE, SavedPage, read_saved, to_warc
from plugins.formats.web.browser import drawn
from plugins.formats.web.elements import WebElements
from plugins.formats.web.gate import MemoryGate, NetworkGate
from plugins.formats.web.page_data import WebPage
from plugins.formats.web.picture import picture_pdf, resolved

_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_HTML = ("text/html", "application/xhtml+xml")
SHOWN = 5
"""The number of refused requests that are reported one by one."""


def web_rendition(path: Path, settings: IndexingSettings) -> Rendition:
    """Make a saved web page a rendition: .html, .xhtml, .mhtml, .warc, .warc.gz. Raises the FileError that fits."""
    saved = read_saved(path, settings)
    try:
        return rendition_of(saved, settings)
    except FileError as error:
        raise type(error)(f"{path.name}: {error}") from None


def fetched_page(url: str, settings: IndexingSettings, former: bytes = b"") -> FetchedFile:
    """Fetch a page and what belongs to it, through the gate, as a web archive. Raises NotFetched, or what fits.

    Without Chromium it is the page alone. A page that has not changed since `former` was fetched is returned as that.
    """
    page = _fetched(url, settings, NetworkGate(settings))
    return replace(page, content=former) if _undated(former) == _undated(page.content) else page


def rendition_of(saved: SavedPage, settings: IndexingSettings) -> Rendition:
    """Make a page a rendition; what it asks for is answered with what it brought."""
    try:
        page, slices = drawn(saved, MemoryGate(saved.resources), settings)
    except BrowserMissing as error:
        return _plain(saved, settings, str(error))
    if not slices:
        raise NoPages("the page has no readable text: open it in a browser and save it as a PDF")
    elements = WebElements(page)
    parsed = [elements.of(drawn_slice, number) for number, drawn_slice in enumerate(slices, 1)]
    parsed[0] = replace(parsed[0], hidden=parsed[0].hidden + page.hidden)
    return Rendition(
        picture_pdf(page, slices, parsed, saved.address),
        tuple(parsed),
        page.about["title"][:300],
        _metadata(page, saved),
        (*saved.notes, *_notes(page, slices[-1].bottom)),
    )


def _fetched(url: str, settings: IndexingSettings, gate: NetworkGate) -> FetchedFile:
    saved = _asked(url, gate)
    with contextlib.suppress(BrowserMissing):  # what belongs to a page is known by drawing it
        drawn(saved, gate, settings)
    content = to_warc(saved.page, gate.fetched)
    return FetchedFile(_name(saved.url), content, _refusals([f"{asked}: {why}" for asked, why in gate.refused.items()]))


def _refusals(refused: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence for each thing that a page asked for and did not get, the first few of them."""
    shown = tuple(f"a resource that the page requested was refused: {why[:200]}" for why in refused[:SHOWN])
    more = len(refused) - SHOWN
    return (*shown, f"and {more} more were refused") if more > 0 else shown


def _undated(archive: bytes) -> list[bytes]:
    """Return the lines of an archive without the moments at which it was made."""
    return [line for line in archive.split(b"\r\n") if not line.startswith(b"WARC-Date:")]


def _asked(url: str, gate: NetworkGate) -> SavedPage:
    """Return the page at an address. Raises NotFetched, or UnsupportedFile where something else stands there."""
    page = gate.get(url.partition("#")[0])
    media_type = page.media_type.partition(";")[0].strip().lower()
    if media_type not in _HTML:
        raise UnsupportedFile(f"{url[:200]}: is {media_type[:60]}, not a web page: save it as a file and index that")
    return SavedPage(page.url, page)


def _name(url: str) -> str:
    """Return a file name for the page at an address, the same for the same address."""
    parts = urlsplit(url)
    name = re.sub(r"[^A-Za-z0-9]+", "-", f"{parts.hostname or ''}{parts.path}").strip("-")[:80]
    return f"{name or 'page'}-{hashlib.sha256(url.encode()).hexdigest()[:8]}.warc"


def _plain(saved: SavedPage, settings: IndexingSettings, why: str) -> Rendition:
    """Lay a page out without a browser, from its HTML alone."""
    from plugins.formats.typesetting import typeset

    page = read_html(saved.page.content)
    made = typeset(page.blocks, page.title, settings)
    url = "" if saved.address == NOWHERE else saved.url
    notes = (*saved.notes, *made.notes, f"the page was laid out without Chromium, from its text: {why}")
    return replace(made, title=page.title, metadata=Metadata(url=url, language=page.language), notes=notes)


def _metadata(page: WebPage, saved: SavedPage) -> Metadata:
    """Return what is known of a page: its address, and what it says of itself."""
    claimed = resolved(page.about["url"], saved.address) if page.about["url"] else ""
    url = saved.url if saved.address == saved.url else claimed
    date = _DATE.match(page.about["date"])
    return Metadata(
        date=date.group() if date else "",
        author=page.about["author"][:200],
        language=short_language(page.about["language"]),
        url="" if url.startswith((NOWHERE, "mailto:")) else url,
    )


def _notes(page: WebPage, bottom: int) -> tuple[str, ...]:
    """Return what of a page is not read, as sentences."""
    below = max((block.place[3] for block in page.blocks), default=0.0)
    notes = {
        f"{page.missing} pictures are not in the file and were left out": page.missing,
        f"{page.outside} frames or plug-ins were left out": page.outside,
        f"the part of the page below {bottom} CSS px is not read: see web_height and max_pages": below > bottom + 1,
        "the page has more words than the limit, and the rest is not read": page.cut,
    }
    return tuple(sentence for sentence, applies in notes.items() if applies)
