"""The formats that plugins add: each is converted to a `Rendition`, and one of them fetches web pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from indexing.conversion.rendition import FetchedFile, Rendition
from indexing.errors import NotFetched, UnsupportedFile
from indexing.settings import IndexingSettings
from vouch.hooks import FileFormat, Target, added, load


def converted_formats() -> dict[str, FileFormat]:
    """Return the formats that are converted, by extension; of two for one extension, that of the first plugin."""
    return {file_format.suffix: file_format for file_format in reversed(added("formats"))}


def convert(path: Path, settings: IndexingSettings) -> Rendition:
    """Convert a file whose extension is in `converted_formats`. Raises the FileError that fits if it cannot be read."""
    suffix = path.suffix.lower()
    rendition: Rendition = _load_target(converted_formats()[suffix].converter, path.name)(path, settings)
    return rendition


def fetch(url: str, settings: IndexingSettings, former: bytes = b"") -> FetchedFile:
    """Fetch the file at the address of a web page, of which `former` was fetched before.

    Raises NotFetched where no plugin can do so or the page cannot be had, or another FileError that fits.
    """
    short_url = url[:200]
    target = next((added_format.fetch for added_format in added("formats") if added_format.fetch), "")
    if not target:
        raise NotFetched(
            f"{short_url}: no plugin that fetches web pages is installed and chosen (vouch doctor lists the plugins): "
            "save the page as a PDF and index that"
        )
    fetched: FetchedFile = _load_target(target, short_url)(url, settings, former)
    return fetched


def _load_target(target: Target, name: str) -> Any:
    """Return what a plugin's target names. Raises UnsupportedFile where it cannot be loaded."""
    try:
        return load(target)
    except (ImportError, AttributeError) as error:
        raise UnsupportedFile(
            f"{name}: the plugin that reads it cannot be loaded ({target}: {error}): reinstall the plugin"
        ) from None
