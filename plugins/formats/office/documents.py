"""Texts and slides: LibreOffice prints them to PDF; speaker notes follow on pages of ours."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pymupdf

from indexing import IndexingSettings, Metadata, UnsupportedFile
from indexing.conversion import Rendition
from plugins.formats.office.libreoffice import OfficeTarget, converted
from plugins.formats.office.notes import SlideNotes, slide_notes
from plugins.formats.office.packages import OfficePackage, check_ole
from plugins.formats.office.properties import OfficeProperties, properties
from plugins.formats.typesetting import SourceBlock

_TEXT_PDF = OfficeTarget("pdf", 'writer_pdf_Export:{"ExportFormFields":{"type":"boolean","value":"false"}}', "writer")
_SLIDES_PDF = OfficeTarget("pdf", "impress_pdf_Export", "impress")
_ODP = OfficeTarget("odp", "impress8", "impress")
_PACKAGES = (".docx", ".odt", ".pptx", ".odp")
_NAMED = 20
_NOTES_RECORD = b"\x0f\x00\xf0\x03"
"""The head of a page of notes in an older presentation (PPT)."""


def document_rendition(path: Path, settings: IndexingSettings) -> Rendition:
    """Print a text of Writer or Word. Raises the FileError that fits."""
    told = _checked(path, settings)
    return Rendition(converted(path, _TEXT_PDF, settings), None, told.title, told.metadata)


def slides_rendition(path: Path, settings: IndexingSettings) -> Rendition:
    """Print slides, and their speaker notes after them; hidden slides are left out. Raises the FileError that fits."""
    if path.suffix.lower() == ".ppt":
        return _older_slides(path, settings)
    with OfficePackage(path, settings) as package:
        told, slides = properties(package), slide_notes(package)
    return _with_notes(path, converted(path, _SLIDES_PDF, settings), told, slides, settings)


def _checked(path: Path, settings: IndexingSettings) -> OfficeProperties:
    """Return the properties of a text, after a look at what LibreOffice would be given."""
    if path.suffix.lower() in _PACKAGES:
        with OfficePackage(path, settings) as package:
            return properties(package)
    check_ole(path)
    with path.open("rb") as file:
        if not file.read(8).startswith((b"{\\rtf", b"\xd0\xcf\x11\xe0")):
            raise UnsupportedFile(f"{path.name}: its content does not match its extension {path.suffix}: rename it")
    return OfficeProperties("", Metadata())


def _older_slides(path: Path, settings: IndexingSettings) -> Rendition:
    """Print slides of the older kind. If they have notes, LibreOffice first makes a newer file that tells them."""
    check_ole(path)
    if _NOTES_RECORD not in path.read_bytes():
        return Rendition(converted(path, _SLIDES_PDF, settings))
    with tempfile.TemporaryDirectory() as folder:
        newer = Path(folder) / "slides.odp"
        newer.write_bytes(converted(path, _ODP, settings))
        with OfficePackage(newer, settings) as package:
            told, slides = properties(package), slide_notes(package)
        return _with_notes(path, converted(newer, _SLIDES_PDF, settings), told, slides, settings)


def _with_notes(
    path: Path, pdf: bytes, told: OfficeProperties, slides: Sequence[SlideNotes], settings: IndexingSettings
) -> Rendition:
    """Return the printed slides with the pages of their notes after them: page n is the nth that is seen."""
    hidden = [str(slide.number) for slide in slides if slide.hidden]
    named = ", ".join(hidden[:_NAMED]) + (", ..." if len(hidden) > _NAMED else "")
    count = "1 hidden slide" if len(hidden) == 1 else f"{len(hidden)} hidden slides"
    notes = (f"{path.name}: {count} left out: {named}.",) if hidden else ()
    from plugins.formats.typesetting import typeset

    blocks = list(_note_blocks(slides))
    if blocks:
        pdf = _joined(pdf, typeset(blocks, "", settings).pdf)
    return Rendition(pdf, None, told.title, told.metadata, notes)


def _note_blocks(slides: Sequence[SlideNotes]) -> Iterator[SourceBlock]:
    """Yield the notes of the slides that are seen, each under a heading that names its slide."""
    for slide in slides:
        if slide.paragraphs and not slide.hidden:
            name = f"Notes of slide {slide.number}"
            yield SourceBlock("heading", name, level=1, place=name)
            yield from (SourceBlock("text", text, place=name) for text in slide.paragraphs)


def _joined(first: bytes, second: bytes) -> bytes:
    """Return the pages of two PDFs as one."""
    with pymupdf.open(stream=first, filetype="pdf") as whole, pymupdf.open(stream=second, filetype="pdf") as rest:
        whole.insert_pdf(rest)
        content: bytes = whole.tobytes(garbage=1, deflate=True)
        return content
