"""A Jupyter notebook -> its cells: what is written, the code, what it printed and drew. No code is run."""

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
from plugins.formats.texts.decoding import read_text
from plugins.formats.texts.markdown import markdown_blocks
from plugins.formats.texts.paragraphs import laid_out, log_blocks
from plugins.formats.typesetting import SourceBlock

MAX_CELLS = 20_000
MAX_OUTPUT_CHARS = 20_000
MAX_PICTURES = 500
_TERMINAL = re.compile(r"\x1b\[[0-9;?]{0,30}[A-Za-z]")
PICTURES = ("image/png", "image/jpeg")


def notebook_rendition(path: Path, settings: IndexingSettings) -> Rendition:
    """Lay out a notebook. Raises the FileError that fits."""
    try:
        found = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"{path.name}: not a notebook: its JSON cannot be read ({error}): get it again") from None
    cells = _cells(found)
    if cells is None:
        raise DamagedFile(f"{path.name}: not a notebook: it has no list of cells: save it again with Jupyter")
    if len(cells) > MAX_CELLS:
        raise TooLarge(f"{path.name}: {len(cells)} cells, the limit is {MAX_CELLS}: split it")
    reader = NotebookReader()
    blocks = [block for number, cell in enumerate(cells, 1) for block in reader.blocks(number, cell)]
    told = _mapping(found.get("metadata"))
    title = _text(told.get("title")) or next((block.text for block in blocks if block.kind == "heading"), "")
    authors = told.get("authors")
    names = [_text(_mapping(one).get("name")) for one in authors[:50]] if isinstance(authors, list) else []
    metadata = Metadata(author=", ".join(name for name in names if name))
    return laid_out(path, blocks, settings, title, metadata, reader.notes())


def _cells(found: Any) -> list[Any] | None:
    """Return the cells of a notebook, of the older form too; None without any."""
    cells = _mapping(found).get("cells")
    if isinstance(cells, list):
        return cells
    sheets = _mapping(found).get("worksheets")
    if not isinstance(sheets, list):
        return None
    parts = [_mapping(sheet).get("cells") for sheet in sheets]
    return [cell for part in parts if isinstance(part, list) for cell in part]


class NotebookReader:
    """Reads cells, and counts what is left out."""

    def __init__(self) -> None:
        """Begin with nothing left out."""
        self._pictures = 0
        self._shortened = 0

    def notes(self) -> tuple[str, ...]:
        """Return what was left out, a sentence each."""
        notes = []
        if self._shortened:
            notes.append(f"{self._shortened} outputs are longer than {MAX_OUTPUT_CHARS} characters and were cut.")
        if self._pictures > MAX_PICTURES:
            notes.append(f"{self._pictures} pictures, of which only the first {MAX_PICTURES} are drawn.")
        return tuple(notes)

    def blocks(self, number: int, cell: Any) -> Iterator[SourceBlock]:
        """Yield the blocks of a cell; `number` is from 1."""
        told = _mapping(cell)
        source = _text(told.get("source", told.get("input")))
        kind, of = told.get("cell_type"), f"cell {number}"
        if kind == "markdown":
            yield from markdown_blocks(source.replace("\r\n", "\n"), of=of)
        elif kind == "heading":
            level = told.get("level")
            yield SourceBlock("heading", source, level if isinstance(level, int) else 1, f"{of}, line 1")
        else:
            yield from log_blocks(source, of)
        outputs = told.get("outputs")
        for output in outputs if isinstance(outputs, list) else ():
            yield from self._output(_mapping(output), f"{of}, output")

    def _output(self, output: Mapping[str, Any], of: str) -> Iterator[SourceBlock]:
        data = _mapping(output.get("data")) or output
        for kind in PICTURES:
            encoded = _text(data.get(kind, data.get(kind.partition("/")[2])))
            image = _unpacked(encoded)
            if image:
                self._pictures += 1
                if self._pictures <= MAX_PICTURES:
                    yield SourceBlock("picture", place=of, image=image)
                return
        text = _text(data.get("text/plain", output.get("text", "")))
        if output.get("output_type") in ("error", "pyerr"):
            text = f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
        if len(text) > MAX_OUTPUT_CHARS:
            self._shortened += 1
        yield from log_blocks(_TERMINAL.sub("", text[:MAX_OUTPUT_CHARS]), of)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    """Return a text, which a notebook may have as a list of lines."""
    if isinstance(value, list):
        return "".join(one for one in value if isinstance(one, str))
    return value if isinstance(value, str) else ""


def _unpacked(encoded: str) -> bytes:
    try:
        return base64.b64decode("".join(encoded.split()), validate=True)
    except (binascii.Error, ValueError):
        return b""
