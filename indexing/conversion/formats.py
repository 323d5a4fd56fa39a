"""The formats that are converted: the extension of each, what its first bytes must be, and its converter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Literal

from indexing.conversion.rendition import Rendition
from indexing.settings import IndexingSettings

Container = Literal["zip", "ole", "rtf", "gzip", "text"]
"""The outermost form of a file: what its first bytes say."""
Converter = Callable[[Path, IndexingSettings], Rendition]
"""Makes a file a rendition, within the limits of the settings. Raises the FileError that fits."""


@dataclass(frozen=True, slots=True)
class ConvertedFormat:
    """A format: its name, the containers that its files may be in, `module:function` of its converter in this folder.

    `program` is True where the converter runs another program, whose memory cannot be limited by that of the worker.
    """

    name: str
    containers: tuple[Container, ...]
    converter: str
    program: bool = False


CONVERTED: dict[str, ConvertedFormat] = {
    ".txt": ConvertedFormat("text", ("text",), "texts:text_rendition"),
    ".html": ConvertedFormat("html", ("text",), "web:web_rendition", program=True),
    ".htm": ConvertedFormat("html", ("text",), "web:web_rendition", program=True),
    ".xhtml": ConvertedFormat("html", ("text",), "web:web_rendition", program=True),
    ".mhtml": ConvertedFormat("mhtml", ("text",), "web:web_rendition", program=True),
    ".mht": ConvertedFormat("mhtml", ("text",), "web:web_rendition", program=True),
    ".warc": ConvertedFormat("warc", ("text", "gzip"), "web:web_rendition", program=True),
    ".gz": ConvertedFormat("warc", ("gzip",), "web:web_rendition", program=True),  # of .warc.gz
}
"""The formats that are converted, by extension."""


def convert(path: Path, settings: IndexingSettings) -> Rendition:
    """Convert a file whose extension is in `CONVERTED`. Raises the FileError that fits when it cannot be read."""
    module, _, name = CONVERTED[path.suffix.lower()].converter.partition(":")
    converter: Converter = getattr(import_module(f"indexing.conversion.{module}"), name)
    return converter(path, settings)
