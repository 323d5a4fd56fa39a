"""The formats that plugins add: each is converted to a `Rendition`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from indexing.conversion.rendition import Rendition
from indexing.errors import UnsupportedFile
from indexing.settings import IndexingSettings
from vouch.hooks import FileFormat, Target, additions, load


def converted_formats() -> dict[str, FileFormat]:
    """Return the formats that plugins convert, by extension; if two plugins have one, that of the first plugin."""
    return {file_format.suffix: file_format for file_format in reversed(additions("formats"))}


def convert(path: Path, settings: IndexingSettings) -> Rendition:
    """Convert a file whose extension is in `converted_formats`. Raises a FileError if it cannot be read."""
    suffix = path.suffix.lower()
    rendition: Rendition = _load_target(converted_formats()[suffix].converter, path.name)(path, settings)
    return rendition


def _load_target(target: Target, name: str) -> Any:
    """Import the object that a plugin's target names. Raises UnsupportedFile where it cannot be imported."""
    try:
        return load(target)
    except (ImportError, AttributeError) as error:
        raise UnsupportedFile(
            f"{name}: the plugin that reads it cannot be loaded ({target}: {error}): reinstall the plugin"
        ) from None
