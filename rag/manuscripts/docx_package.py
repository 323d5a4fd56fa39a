"""A Word file -> its package, opened after its sizes were looked at: what it unpacks to, and what it would load."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from rag.errors import ManuscriptUnreadable

if TYPE_CHECKING:
    from docx.document import Document

MOST_UNPACKED = 300_000_000
"""The most bytes that a Word file may unpack to, pictures included."""
MOST_MARKUP = 40_000_000
"""The most bytes of its XML: a book has ten million."""
MOST_PARTS = 5000
_MACROS = ("vbaproject.bin", "vbadata.xml")


def open_docx(data: bytes, name: str) -> Document:
    """Return a Word file, opened. Nothing that it refers to is loaded.

    Raises ManuscriptUnreadable for a file that unpacks to too much, has macros, is locked, damaged, or none.
    """
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise ManuscriptUnreadable(
            f"{name}: it is a locked or old Word file: save it as .docx without a password, and check that"
        )
    _check_sizes(data, name)
    import docx
    from docx.opc.exceptions import OpcError
    from lxml import etree

    try:
        return docx.Document(io.BytesIO(data))
    except (OpcError, etree.LxmlError, zipfile.BadZipFile, KeyError, ValueError, AttributeError, OSError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:120]
        raise ManuscriptUnreadable(
            f"{name}: cannot be read as a Word file ({reason}): open it in a word processor and save it again"
        ) from None


def _check_sizes(data: bytes, name: str) -> None:
    """Refuse zip bombs by the sizes in the directory of the archive, beyond which nothing is unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise ManuscriptUnreadable(f"{name}: it is damaged or cut short: get it again") from None
    names = {entry.filename.lower() for entry in entries}
    if "word/document.xml" not in names:
        raise ManuscriptUnreadable(
            f"{name}: it is a ZIP archive, not a Word file: unpack it, and check the files in it"
        )
    if any(each.endswith(_MACROS) for each in names):
        raise ManuscriptUnreadable(f"{name}: it contains macros: save it as .docx without them, and check that")
    unpacked = sum(entry.file_size for entry in entries)
    markup = sum(entry.file_size for entry in entries if entry.filename.lower().endswith((".xml", ".rels")))
    if unpacked > MOST_UNPACKED or markup > MOST_MARKUP or len(entries) > MOST_PARTS:
        raise ManuscriptUnreadable(
            f"{name}: unpacks to {unpacked // 1_000_000:,} MB ({markup // 1_000_000:,} MB of text) in "
            f"{len(entries):,} parts, which exceeds the limits: check it in parts"
        )


def external_targets(document: Document) -> tuple[str, ...]:
    """Return the addresses, links apart, that a word processor loads when it opens the file: templates, pictures."""
    targets = [
        relation.target_ref
        for part in document.part.package.iter_parts()
        for relation in part.rels.values()
        if relation.is_external and not relation.reltype.endswith("/hyperlink")
    ]
    return tuple(dict.fromkeys(targets))
