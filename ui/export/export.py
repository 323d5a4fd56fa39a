"""`vouch ask --export`: an answer written as Markdown, HTML, JSON, CiteVQA's form, PDFs with highlights, or its works.

Works are the cited documents as entries of a bibliography, BibTeX or RIS.

A file of another program is never overwritten: all names are checked before the first file is written. Each file
appears under its name only when it is complete.
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
from ui.export.sources import MARK, Files, gather
from ui.export.writers import cited_pdf, file_stem, marks_of, omission_notes, picture_folder
from vouch.hooks import Export, load

if TYPE_CHECKING:
    from indexing import Collection
    from rag import Answer


def export(
    answer: Answer, collection: Collection, target: Path, on_note: Callable[[str], None] = lambda _: None
) -> list[Path]:
    """Write `answer` to `target`, and return the files: one form by the suffix of a file, or all forms in a folder.

    Several cited documents make several PDFs: `x.pdf` becomes `x-1-<document>.pdf` and so on. Files of an earlier
    export are replaced; surplus ones are deleted in a folder and among Markdown's pictures, but not beside `x.pdf`.
    `on_note` gets a line on each PDF from which scripts or other active content was left out. Raises ExportError for a
    file that is not ours or not writable, DocumentMissing for a removed document and, if `target` is a PDF, the
    FileError of a document that could not be marked.
    """
    form = form_of(target)
    if form is None:
        files = _all_forms(answer, collection, target, on_note)
    else:
        contents = gather(answer, collection, pictures=form.pictures)
        files = load(form.write)(replace(contents, on_note=on_note), target)
    check_free(files)
    for path, data in files.items():
        write_atomically(path, data)
    if form is None:
        for pattern in ("[0-9]*-*.pdf", *(f"answer{one.suffixes[0]}" for one in exports() if one.cites)):
            _sweep(target, pattern, files)
    if form is None or form.name == "markdown":
        _sweep(picture_folder(target if form else target / "answer.md"), "[0-9]*-*.png", files)
    return list(files)


def form_of(target: Path) -> Export | None:
    """Return the form that the suffix of `target` names, None for a folder. Raises ExportError for another suffix."""
    try:
        if target.is_dir():
            return None
    except OSError as error:
        raise not_written(target, error) from None
    suffix = target.suffix.lower()
    form = export_spec(suffix.removeprefix(".")) if suffix else None
    if suffix and form is None:
        endings = ", ".join(suffix for one in exports() for suffix in one.suffixes)
        raise ExportError(f"{target}: the name of an export ends in {endings}, or name a folder")
    return form


def _all_forms(answer: Answer, collection: Collection, folder: Path, on_note: Callable[[str], None]) -> Files:
    """Return the files of all forms, under fixed names. A PDF that cannot be made is a note in the other files."""
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
    """Delete our files in a folder that match `pattern` and are not in `files`: they are of an earlier answer."""
    for path in folder.glob(pattern):
        if path not in files and path.is_file() and not path.is_symlink() and _is_ours(path):
            path.unlink(missing_ok=True)


def check_free(files: Files) -> None:
    """Raise ExportError if one of the files exists and is not an export of ours."""
    for path in files:
        try:
            if not os.path.lexists(path):
                continue
            foreign = not path.is_file() or not _is_ours(path)
        except (OSError, ValueError) as error:
            raise not_written(path, error) from None
        if foreign:
            raise ExportError(
                f"{path}: already exists, and is not an export of Vouch: name another file, or move it away"
            )


def write_atomically(path: Path, data: bytes) -> None:
    """Write a complete file, or none, creating its folder if absent. Raises ExportError."""
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


def _is_ours(path: Path) -> bool:
    """Return True if an export wrote this file: it has MARK in its first or last 2048 bytes."""
    with path.open("rb") as file:
        head = file.read(2048)
        file.seek(max(0, path.stat().st_size - 2048))
        return MARK.encode() in head or MARK.encode() in file.read()


def not_written(path: Path, error: OSError | ValueError, what: str = "cannot be written") -> ExportError:
    """Return an ExportError for a file or folder that the operating system refuses; `what` is the problem."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return ExportError(f"{path}: {what} ({reason}): choose another place, or make room")
