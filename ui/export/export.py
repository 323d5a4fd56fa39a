"""`vouch ask --export`: an answer written as Markdown, HTML, JSON, CiteVQA's form, PDFs with highlights, or its works.

Works are the cited documents as entries of a bibliography, BibTeX or RIS.

A file of another program is never written over, nor a folder filled halfway when that can be known before: all names
are checked first, and each file appears under its name only when it is complete.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from configs import export_spec, exports
from indexing import DocumentMissing, FileError
from ui.errors import ExportError
from ui.export.pdf import cited_pdf, marks_of
from ui.export.sources import MARK, Files, gather
from ui.export.writers import file_stem, omission_notes, picture_folder
from vouch.hooks import Export, load

if TYPE_CHECKING:
    from indexing import Collection
    from rag import Answer


def export(
    answer: Answer, collection: Collection, target: Path, on_note: Callable[[str], None] = lambda _: None
) -> list[Path]:
    """Write `answer` to `target`: a file whose suffix names the form, or a folder (made if absent), which gets all.

    Several cited documents make several PDFs: `x.pdf` becomes `x-1-<document>.pdf` and so on. Files of an earlier
    export are replaced, or removed where this one has none in their place; any other file is left alone with an
    ExportError, which also stands for a disk that is full or cannot be written. Returns the files; `on_note` is told
    what was left out of the PDFs, in which nothing acts. Raises DocumentMissing for a document removed meanwhile and,
    when a PDF was asked for by name, the FileError of a document that could not be marked.
    """
    form = form_of(target)
    if form is None:
        files = _everything(answer, collection, target, on_note)
    else:
        contents = gather(answer, collection, pictures=form.pictures)
        files = load(form.write)(replace(contents, on_note=on_note), target)
    check_free(files)
    for path, data in files.items():
        write_whole(path, data)
    if form is None:
        for pattern in ("[0-9]*-*.pdf", *(f"answer{one.suffixes[0]}" for one in exports() if one.cites)):
            _sweep(target, pattern, files)
    if form is None or form.name == "markdown":
        _sweep(picture_folder(target if form else target / "answer.md"), "[0-9]*-*.png", files)
    return list(files)


def form_of(target: Path) -> Export | None:
    """Return the form that a target stands for, None for a folder. Raises ExportError for a suffix without one."""
    try:
        if target.is_dir():
            return None
    except OSError as error:
        raise not_written(target, error) from None
    suffix = target.suffix.lower()
    form = export_spec(suffix.removeprefix(".")) if suffix else None
    if suffix and form is None:
        known = ", ".join(suffix for one in exports() for suffix in one.suffixes)
        raise ExportError(f"{target}: the name of an export ends in {known}, or name a folder")
    return form


def _everything(answer: Answer, collection: Collection, folder: Path, on_note: Callable[[str], None]) -> Files:
    """Return all forms under fixed names. A document that cannot be marked is told in the pages; the rest is made."""
    contents = gather(answer, collection)
    notes, pdfs = list(contents.notes), {}
    for number, (doc_id, marks) in enumerate(marks_of(answer).items(), 1):
        name = collection.document(doc_id).name
        try:
            pdf = cited_pdf(collection, doc_id, marks)
        except (FileError, DocumentMissing) as error:
            notes.append(f"No PDF with highlights: {error}")
        else:
            pdfs[folder / f"{number}-{file_stem(name)}.pdf"] = pdf.content
            notes += omission_notes(name, pdf)
            for note in omission_notes(name, pdf):
                on_note(note)
    contents = replace(contents, notes=notes)
    files: dict[Path, bytes] = {}
    for form in exports():
        if form.name != "pdf" and (contents.sources or not form.cites):
            files |= load(form.write)(contents, folder / f"answer{form.suffixes[0]}")
    return {**files, **pdfs}


def _sweep(folder: Path, pattern: str, files: Files) -> None:
    """Delete the files of an earlier export in a folder that this one did not replace: they show another answer."""
    for path in folder.glob(pattern):
        if path not in files and path.is_file() and not path.is_symlink() and _ours(path):
            path.unlink(missing_ok=True)


def check_free(files: Files) -> None:
    """Refuse to write over files that are not ours, before anything is written."""
    for path in files:
        try:
            if not os.path.lexists(path):
                continue
            foreign = not path.is_file() or not _ours(path)
        except (OSError, ValueError) as error:
            raise not_written(path, error) from None
        if foreign:
            raise ExportError(
                f"{path}: already exists, and is not an export of Vouch: name another file, or move it away"
            )


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise not_written(path.parent, error, "is not a folder, and cannot become one") from None
    part = path.with_name(f".vouch-{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except (OSError, ValueError) as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise not_written(path, error) from None


def _ours(path: Path) -> bool:
    """Return True if an export wrote this file: it says so near its beginning or its end."""
    with path.open("rb") as file:
        head = file.read(2048)
        file.seek(max(0, path.stat().st_size - 2048))
        return MARK.encode() in head or MARK.encode() in file.read()


def not_written(path: Path, error: OSError | ValueError, what: str = "cannot be written") -> ExportError:
    """Return the error of a file or folder that the system refuses."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return ExportError(f"{path}: {what} ({reason}): choose another place, or make room")
