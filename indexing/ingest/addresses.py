"""Web pages at addresses: each is fetched by a plugin's format, and kept as a file, which is then read like any."""

from __future__ import annotations

from pathlib import Path

from indexing.conversion import fetch
from indexing.errors import FileError
from indexing.ingest.files import FoundFile
from indexing.settings import IndexingSettings

SCHEMES = ("https://", "http://")


def is_address(named: Path | str) -> bool:
    """Return True for what names a web page, not a file."""
    return isinstance(named, str) and named.lower().startswith(SCHEMES)


def fetched_file(url: str, settings: IndexingSettings, folder: Path, former: Path | None = None) -> FoundFile:
    """Fetch the page at an address as a file in `folder`, or return the reason why it cannot be had.

    The document's key is the address, so that a page that has changed takes the place of the one that was there. One
    that has not changed since `former`, an earlier file, is that file.
    """
    try:
        fetched = fetch(url, settings, former.read_bytes() if former else b"")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / fetched.name
        path.write_bytes(fetched.content)
    except FileError as error:
        return FoundFile(Path(url.partition("://")[2][:80] or "page"), error, key=url)
    return FoundFile(path, key=url, notes=fetched.notes)
