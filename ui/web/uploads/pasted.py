"""Texts that people paste and programs send: their statements, and the name that entries of a bibliography get."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rag.manuscripts import read_manuscript

if TYPE_CHECKING:
    from rag.attribution import AnswerStatement

_ENTRY = re.compile(r"^\s{0,20}@\w{1,40}\s{0,20}[{(]", re.MULTILINE)


def written_statements(text: str) -> Sequence[AnswerStatement]:
    """Return the statements of a text as of a file of Markdown, whose lines may be broken anywhere; none of no text."""
    if not text.strip():
        return ()
    with tempfile.TemporaryDirectory(prefix="vouch-") as folder:
        path = Path(folder) / "text.md"
        path.write_text(text, encoding="utf-8", errors="replace")
        return read_manuscript(path).statements


def pasted_name(entries: str) -> str:
    """Return the name of a file for entries that were pasted, whose suffix says what they are."""
    return "entries.bib" if _ENTRY.search(entries) else "entries.txt"
