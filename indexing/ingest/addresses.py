"""Web pages at addresses: fetched through the gate, and kept as an archive, which is then read like any file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from indexing.errors import FileError
from indexing.ingest.files import FoundFile
from indexing.settings import IndexingSettings

TOLD = 5
"""The number of refused requests that are told one by one."""
SCHEMES = ("https://", "http://")


def is_address(named: Path | str) -> bool:
    """Return True for what names a web page, not a file."""
    return isinstance(named, str) and named.lower().startswith(SCHEMES)


def fetched_file(url: str, settings: IndexingSettings, folder: Path, former: Path | None = None) -> FoundFile:
    """Fetch the page at an address as an archive in `folder`, or return the reason why it cannot be had.

    The document's key is the address, so that a page that has changed takes the place of the one that was there. One
    that has not changed since `former`, an earlier archive, is that archive.
    """
    from indexing.conversion.web import fetched_page

    try:
        page = fetched_page(url, settings)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / page.name
        earlier = former.read_bytes() if former else b""
        path.write_bytes(earlier if _undated(earlier) == _undated(page.content) else page.content)
    except FileError as error:
        return FoundFile(Path(url.partition("://")[2][:80] or "page"), error, key=url)
    return FoundFile(path, key=url, notes=_notes(page.refused))


def _notes(refused: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence for each thing that a page asked for and did not get, the first few of them."""
    told = tuple(f"a resource that the page requested was refused: {why[:200]}" for why in refused[:TOLD])
    more = len(refused) - TOLD
    return (*told, f"and {more} more were refused") if more > 0 else told


def _undated(archive: bytes) -> list[bytes]:
    """Return the lines of an archive without the moments at which it was made."""
    return [line for line in archive.split(b"\r\n") if not line.startswith(b"WARC-Date:")]
