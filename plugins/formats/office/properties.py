"""Properties of an Office file: title, author, date and language, as it tells them of itself."""

from __future__ import annotations

import re
from dataclasses import dataclass

from indexing import Metadata
from plugins.formats.office.packages import Node, OfficePackage

_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_LANGUAGE = re.compile(r"[A-Za-z]{2}(?![A-Za-z])")
MAX_CHARS = 300


@dataclass(frozen=True, slots=True)
class OfficeProperties:
    """The title of a file, and its record."""

    title: str
    metadata: Metadata


def properties(package: OfficePackage) -> OfficeProperties:
    """Return the properties of a package of Microsoft's or of the OpenDocument kind; empty ones where it has none."""
    core, meta = package.tree("docProps/core.xml"), package.tree("meta.xml")
    if core is not None:
        authors = (f"{_DC}creator",)
        return _told(core, authors, (f"{_TERMS}modified", f"{_TERMS}created"))
    if meta is not None:
        return _told(meta, (f"{_META}initial-creator", f"{_DC}creator"), (f"{_DC}date", f"{_META}creation-date"))
    return OfficeProperties("", Metadata())


def _told(root: Node, authors: tuple[str, ...], dates: tuple[str, ...]) -> OfficeProperties:
    date, language = _DATE.match(_first(root, dates)), _LANGUAGE.match(_first(root, (f"{_DC}language",)))
    return OfficeProperties(
        _first(root, (f"{_DC}title",)),
        Metadata(
            date=date.group() if date else "",
            author=_first(root, authors),
            language=language.group().lower() if language else "",
        ),
    )


def _first(root: Node, tags: tuple[str, ...]) -> str:
    """Return the text of the first of `tags` that has one, on one line."""
    for tag in tags:
        found = next(root.iter(tag), None)
        text = " ".join("".join(map(str, found.itertext())).split()) if found is not None else ""
        if text:
            return text[:MAX_CHARS]
    return ""
