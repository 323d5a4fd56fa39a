"""Speaker notes: the words that a presentation keeps under its slides, and the slides that are hidden."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from indexing import DamagedFile
from plugins.formats.office.packages import Node, OfficePackage, odf_words

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_PRESENTATION = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_BESIDE = ("sldNum", "dt", "hdr", "ftr", "sldImg", "header", "footer", "date-time", "page-number")
"""The boxes of a notes page that are not its notes, as PowerPoint and OpenDocument call them."""
MAX_SLIDES = 20_000


@dataclass(frozen=True, slots=True)
class SlideNotes:
    """A slide: its number from 1, hidden ones counted, the paragraphs of its notes, whether it is hidden."""

    number: int
    paragraphs: tuple[str, ...]
    hidden: bool


def slide_notes(package: OfficePackage) -> tuple[SlideNotes, ...]:
    """Return the slides of a presentation in their order."""
    found = _of_powerpoint(package) if "ppt/presentation.xml" in package else _of_odp(package)
    return tuple(SlideNotes(n, paragraphs, hidden) for n, (paragraphs, hidden) in enumerate(found, 1))


def relations(package: OfficePackage, part: str) -> dict[str, tuple[str, str]]:
    """Return the parts that a part names, by their key: the last word of the kind, and the path in the package."""
    folder, name = posixpath.split(part)
    root = package.tree(f"{folder}/_rels/{name}.rels")
    if root is None:
        return {}
    return {
        one.get("Id", ""): (
            one.get("Type", "").rpartition("/")[2],
            posixpath.normpath(posixpath.join("/", folder, one.get("Target", ""))).lstrip("/"),
        )
        for one in root
        if one.get("TargetMode") != "External"
    }


def _of_powerpoint(package: OfficePackage) -> Iterator[tuple[tuple[str, ...], bool]]:
    start = "ppt/presentation.xml"
    root, parts = package.tree(start), relations(package, start)
    listed = list(root.iter(f"{_P}sldId"))[:MAX_SLIDES] if root is not None else []
    for entry in listed:
        _, part = parts.get(entry.get(f"{_R}id", ""), ("", ""))
        slide = package.tree(part)
        if slide is None:
            raise DamagedFile(f"{package.name}: a slide is missing: get the file again, or save it again")
        notes = next((path for kind, path in relations(package, part).values() if kind == "notesSlide"), "")
        yield _powerpoint_paragraphs(package.tree(notes)), slide.get("show") in ("0", "false")


def _powerpoint_paragraphs(notes: Node | None) -> tuple[str, ...]:
    """Return the paragraphs of a notes page: not the slide's number, date, head and foot."""
    shapes = [] if notes is None else list(notes.iter(f"{_P}sp"))
    bodies = [s for s in shapes if not any(p.get("type") in _BESIDE for p in s.iter(f"{_P}ph"))]
    found = (_line(p) for body in bodies for p in body.iter(f"{_A}p"))
    return tuple(text for text in found if text)


def _of_odp(package: OfficePackage) -> Iterator[tuple[tuple[str, ...], bool]]:
    root = package.tree("content.xml")
    if root is None:
        return
    hiding = {
        style.get(f"{_STYLE}name")
        for style in root.iter(f"{_STYLE}style")
        if any(p.get(f"{_PRESENTATION}visibility") == "hidden" for p in style.iter(f"{_STYLE}drawing-page-properties"))
    }
    for n, page in enumerate(root.iter(f"{_DRAW}page")):
        if n >= MAX_SLIDES:
            return
        shapes = (shape for notes in page.iter(f"{_PRESENTATION}notes") for shape in notes)
        noted = (shape for shape in shapes if shape.get(f"{_PRESENTATION}class") not in _BESIDE)
        found = (" ".join(odf_words(p).split()) for shape in noted for p in shape.iter(f"{_TEXT}p"))
        yield tuple(text for text in found if text), page.get(f"{_DRAW}style-name") in hiding


def _line(paragraph: Node) -> str:
    """Return the text of a paragraph of PowerPoint on one line; its breaks are spaces."""
    words = (node.text or "" if node.tag == f"{_A}t" else " " for node in paragraph.iter(f"{_A}t", f"{_A}br"))
    return " ".join("".join(words).split())
