"""`vouch check --annotated`: the text that was checked, in its own form or as a web page, with the verdicts on it.

The checked file is never changed; a file with the name of the copy is replaced only if an export wrote it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ui.errors import ExportError
from ui.export.files import check_free, not_written, write_whole

if TYPE_CHECKING:
    from indexing import IndexingSettings
    from rag import Answer
    from rag.manuscripts import Form, Manuscript

_OWN: dict[Form, str] = {"pages": ".pdf", "docx": ".docx"}
"""The suffix of the copy that a file gets in its own form; any other text becomes a web page, as these can."""


@dataclass(frozen=True, slots=True)
class Checkup:
    """A text that was checked: the file, what was read in it, the outcome, and what opens it."""

    path: Path
    manuscript: Manuscript
    answer: Answer
    settings: IndexingSettings
    password: str | None = None


def copy_form(target: Path, form: Form, source: Path | None = None) -> str:
    """Return the suffix of a copy. Raises ExportError for one that a file of that form cannot have, or has itself."""
    suffix, own = target.suffix.lower(), _OWN.get(form)
    suffix = ".html" if suffix == ".htm" else suffix
    if suffix not in (own, ".html"):
        suffixes = f"{own} or .html" if own else ".html"
        raise ExportError(f"{target}: the annotated copy of this text must end in {suffixes}")
    try:
        same = source is not None and target.exists() and target.samefile(source)
    except OSError as error:
        raise not_written(target, error) from None
    if same:
        raise ExportError(f"{target}: is the text being checked, which is never changed: name another file")
    check_free({target: b""})
    return suffix


def annotated_copy(checkup: Checkup, target: Path) -> list[str]:
    """Write the annotated copy of a text, whole or not at all; return what its reader should know of it.

    Raises ExportError, and the FileError of a PDF that could not be marked.
    """
    form = copy_form(target, checkup.manuscript.form, checkup.path)
    if form == ".pdf":
        from ui.export.copies.pdf import pdf_copy

        data, notes = pdf_copy(checkup)
    elif form == ".docx":
        from ui.export.copies.word import word_copy

        data, notes = word_copy(checkup)
    else:
        from ui.export.copies.web import web_copy

        data, notes = web_copy(checkup), []
    write_whole(target, data)
    return notes
