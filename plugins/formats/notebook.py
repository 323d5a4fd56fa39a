"""A Jupyter notebook -> the texts, code and outputs of its cells. No code is run."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from indexing import DamagedFile, IndexingSettings, Metadata, TooLarge
from indexing.conversion import Rendition
from plugins.formats.markdown import markdown_blocks
from plugins.formats.texts import lay_out, log_blocks, read_text
from plugins.formats.typesetting import SourceBlock

MAX_CELLS = 20_000
MAX_OUTPUT_CHARS = 20_000
MAX_PICTURES = 500
_TERMINAL = re.compile(r"\x1b\[[0-9;?]{0,30}[A-Za-z]")
PICTURES = ("image/png", "image/jpeg")


def notebook_rendition(path: Path, settings: IndexingSettings) -> Rendition:
    """Lay out a notebook. Raises FileError."""
    try:
        notebook = _mapping(json.loads(read_text(path)))
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"{path.name}: not a notebook: its JSON cannot be read ({error}): get it again") from None
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        raise DamagedFile(f"{path.name}: not a notebook: it has no list of cells: save it again with Jupyter")
    if len(cells) > MAX_CELLS:
        raise TooLarge(f"{path.name}: {len(cells)} cells, the limit is {MAX_CELLS}: split it")
    reader = NotebookReader()
    blocks = [block for number, cell in enumerate(cells, 1) for block in reader.blocks(number, _mapping(cell))]
    metadata = _mapping(notebook.get("metadata"))
    title = _text(metadata.get("title")) or next((block.text for block in blocks if block.kind == "heading"), "")
    authors = metadata.get("authors")
    names = [_text(_mapping(one).get("name")) for one in authors[:50]] if isinstance(authors, list) else []
    return lay_out(path, blocks, settings, title, Metadata(author=", ".join(filter(None, names))), reader.notes())


class NotebookReader:
    """Reads cells, and counts what is left out."""

    def __init__(self) -> None:
        """Start with all counts at 0."""
        self._pictures = 0
        self._n_shortened = 0

    def notes(self) -> list[str]:
        """Return a sentence on each kind of output that was cut or left out."""
        notes = []
        if self._n_shortened:
            notes.append(f"{self._n_shortened} outputs are longer than {MAX_OUTPUT_CHARS} characters and were cut.")
        if self._pictures > MAX_PICTURES:
            notes.append(f"{self._pictures} pictures, of which only the first {MAX_PICTURES} are drawn.")
        return notes

    def blocks(self, number: int, cell: Mapping[str, Any]) -> Iterator[SourceBlock]:
        """Yield the blocks of a cell; `number` is from 1."""
        source, of = _text(cell.get("source")), f"cell {number}"
        if cell.get("cell_type") == "markdown":
            yield from markdown_blocks(source.replace("\r\n", "\n"), of=of)
        else:
            yield from log_blocks(source, of)
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else ():
            yield from self._output(_mapping(output), f"{of}, output")

    def _output(self, output: Mapping[str, Any], of: str) -> Iterator[SourceBlock]:
        data = _mapping(output.get("data"))
        image = next(filter(None, (_decode_image(_text(data.get(kind))) for kind in PICTURES)), b"")
        if image:
            self._pictures += 1
            if self._pictures <= MAX_PICTURES:
                yield SourceBlock("picture", place=of, image=image)
            return
        text = _text(data.get("text/plain", output.get("text")))
        if output.get("output_type") == "error":
            text = f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
        self._n_shortened += len(text) > MAX_OUTPUT_CHARS
        yield from log_blocks(_TERMINAL.sub("", text[:MAX_OUTPUT_CHARS]), of)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    """Return a text, which a notebook may have as a list of lines."""
    if isinstance(value, list):
        return "".join(one for one in value if isinstance(one, str))
    return value if isinstance(value, str) else ""


def _decode_image(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return b""
