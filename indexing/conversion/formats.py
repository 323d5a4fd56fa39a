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
    ".text": ConvertedFormat("text", ("text",), "texts:text_rendition"),
    ".log": ConvertedFormat("text", ("text",), "texts:text_rendition"),
    ".rst": ConvertedFormat("text", ("text",), "texts:text_rendition"),
    ".md": ConvertedFormat("markdown", ("text",), "texts:markdown_rendition"),
    ".markdown": ConvertedFormat("markdown", ("text",), "texts:markdown_rendition"),
    ".csv": ConvertedFormat("csv", ("text",), "texts:csv_rendition"),
    ".tsv": ConvertedFormat("csv", ("text",), "texts:csv_rendition"),
    ".ipynb": ConvertedFormat("notebook", ("text",), "texts:notebook_rendition"),
    ".eml": ConvertedFormat("mail", ("text",), "mail:eml_rendition"),
    ".msg": ConvertedFormat("outlook", ("ole",), "mail:msg_rendition"),
    ".docx": ConvertedFormat("docx", ("zip", "ole"), "office:document_rendition", program=True),
    ".doc": ConvertedFormat("doc", ("ole", "rtf"), "office:document_rendition", program=True),
    ".odt": ConvertedFormat("odt", ("zip",), "office:document_rendition", program=True),
    ".rtf": ConvertedFormat("rtf", ("rtf",), "office:document_rendition", program=True),
    ".pptx": ConvertedFormat("pptx", ("zip", "ole"), "office:slides_rendition", program=True),
    ".ppt": ConvertedFormat("ppt", ("ole",), "office:slides_rendition", program=True),
    ".odp": ConvertedFormat("odp", ("zip",), "office:slides_rendition", program=True),
    ".xlsx": ConvertedFormat("xlsx", ("zip", "ole"), "office:spreadsheet_rendition"),
    ".ods": ConvertedFormat("ods", ("zip",), "office:spreadsheet_rendition"),
    ".xls": ConvertedFormat("xls", ("ole",), "office:spreadsheet_rendition", program=True),
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
