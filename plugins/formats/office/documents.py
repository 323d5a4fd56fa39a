"""Texts and slides: LibreOffice prints them to PDF; speaker notes follow on pages of ours."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pymupdf

from indexing import DamagedFile, IndexingSettings, UnsupportedFile
from indexing.conversion import Rendition
from plugins.formats.office.libreoffice import OfficeTarget, convert_file
from plugins.formats.office.packages import (
    STYLE,
    TEXT,
    Node,
    OfficePackage,
    OfficeProperties,
    check_ole,
    odf_text,
    properties,
    relations,
)
from plugins.formats.typesetting import SourceBlock

_TEXT_PDF = OfficeTarget("pdf", 'writer_pdf_Export:{"ExportFormFields":{"type":"boolean","value":"false"}}', "writer")
_SLIDES_PDF = OfficeTarget("pdf", "impress_pdf_Export", "impress")
_ODP = OfficeTarget("odp", "impress8", "impress")
_MOST_NAMED = 20
"""The most hidden slides that a note names."""
MAX_SLIDES = 20_000
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_PRESENTATION = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"
_BESIDE = ("sldNum", "dt", "hdr", "ftr", "sldImg", "header", "footer", "date-time", "page-number")
"""The boxes of a notes page that are not its notes, as PowerPoint and OpenDocument call them."""


@dataclass(frozen=True, slots=True)
class SlideNotes:
    """A slide: the paragraphs of its notes, and whether it is hidden."""

    paragraphs: tuple[str, ...]
    hidden: bool


def document_rendition(path: Path, settings: IndexingSettings) -> Rendition:
    """Convert a document of Writer or Word to PDF. Raises FileError."""
    info = OfficeProperties()
    if path.suffix.lower() in (".docx", ".odt"):
        with OfficePackage(path, settings) as package:
            info = properties(package)
    else:
        check_ole(path)
        with path.open("rb") as file:
            if not file.read(8).startswith((b"{\\rtf", b"\xd0\xcf\x11\xe0")):
                raise UnsupportedFile(f"{path.name}: its content does not match its extension {path.suffix}: rename it")
    return Rendition(convert_file(path, _TEXT_PDF, settings), None, info.title, info.metadata)


def slides_rendition(path: Path, settings: IndexingSettings) -> Rendition:
    """Convert slides but the hidden to PDF, with pages of their speaker notes at the end. Raises FileError."""
    with tempfile.TemporaryDirectory() as folder:
        source = path
        if path.suffix.lower() == ".ppt":
            check_ole(path)
            source = Path(folder) / "slides.odp"
            source.write_bytes(convert_file(path, _ODP, settings))
        with OfficePackage(source, settings) as package:
            info, slides = properties(package), slide_notes(package)
        pdf = convert_file(source, _SLIDES_PDF, settings)
    hidden_slides = [str(number) for number, slide in enumerate(slides, 1) if slide.hidden]
    names = ", ".join(hidden_slides[:_MOST_NAMED]) + (", ..." if len(hidden_slides) > _MOST_NAMED else "")
    count = "1 hidden slide" if len(hidden_slides) == 1 else f"{len(hidden_slides)} hidden slides"
    notes = (f"{path.name}: {count} left out: {names}.",) if hidden_slides else ()
    blocks = list(_note_blocks(slides))
    return Rendition(_append_pages(pdf, blocks, settings) if blocks else pdf, None, info.title, info.metadata, notes)


def _note_blocks(slides: tuple[SlideNotes, ...]) -> Iterator[SourceBlock]:
    """Yield the notes of the visible slides, each under a heading that names its slide."""
    for number, slide in enumerate(slides, 1):
        if slide.paragraphs and not slide.hidden:
            name = f"Notes of slide {number}"
            yield SourceBlock("heading", name, level=1, place=name)
            yield from (SourceBlock("text", text, place=name) for text in slide.paragraphs)


def _append_pages(pdf: bytes, blocks: list[SourceBlock], settings: IndexingSettings) -> bytes:
    """Return a PDF with the pages of the blocks appended."""
    from plugins.formats.typesetting import typeset

    extra = typeset(blocks, "", settings).pdf
    with pymupdf.open(stream=pdf, filetype="pdf") as document, pymupdf.open(stream=extra, filetype="pdf") as rest:
        document.insert_pdf(rest)
        content: bytes = document.tobytes(garbage=1, deflate=True)
        return content


def slide_notes(package: OfficePackage) -> tuple[SlideNotes, ...]:
    """Return the slides of a presentation in their order."""
    return tuple(_powerpoint_slides(package) if "ppt/presentation.xml" in package else _odp_slides(package))


def _powerpoint_slides(package: OfficePackage) -> Iterator[SlideNotes]:
    """Yield the slides of a PPTX in their order. Raises DamagedFile if one is missing."""
    start = "ppt/presentation.xml"
    root, parts = package.tree(start), relations(package, start)
    for entry in list(root.iter(f"{_P}sldId"))[:MAX_SLIDES] if root is not None else ():
        _, part = parts.get(entry.get(f"{_R}id", ""), ("", ""))
        slide = package.tree(part)
        if slide is None:
            raise DamagedFile(f"{package.name}: a slide is missing: get the file again, or save it again")
        notes = package.tree(next((p for kind, p in relations(package, part).values() if kind == "notesSlide"), ""))
        shapes = [] if notes is None else list(notes.iter(f"{_P}sp"))
        bodies = [s for s in shapes if not any(p.get("type") in _BESIDE for p in s.iter(f"{_P}ph"))]
        lines = (_line(p) for body in bodies for p in body.iter(f"{_A}p"))
        yield SlideNotes(tuple(filter(None, lines)), slide.get("show") in ("0", "false"))


def _line(paragraph: Node) -> str:
    """Return the text of a paragraph of PowerPoint on one line; its breaks are spaces."""
    words = (node.text or "" if node.tag == f"{_A}t" else " " for node in paragraph.iter(f"{_A}t", f"{_A}br"))
    return " ".join("".join(words).split())


def _odp_slides(package: OfficePackage) -> Iterator[SlideNotes]:
    """Yield the slides of an ODP in their order."""
    root = package.tree("content.xml")
    if root is None:
        return
    hiding = {
        style.get(f"{STYLE}name")
        for style in root.iter(f"{STYLE}style")
        if any(p.get(f"{_PRESENTATION}visibility") == "hidden" for p in style.iter(f"{STYLE}drawing-page-properties"))
    }
    for page in list(root.iter(f"{_DRAW}page"))[:MAX_SLIDES]:
        shapes = (shape for notes in page.iter(f"{_PRESENTATION}notes") for shape in notes)
        bodies = (shape for shape in shapes if shape.get(f"{_PRESENTATION}class") not in _BESIDE)
        lines = (" ".join(odf_text(p).split()) for body in bodies for p in body.iter(f"{TEXT}p"))
        yield SlideNotes(tuple(filter(None, lines)), page.get(f"{_DRAW}style-name") in hiding)
