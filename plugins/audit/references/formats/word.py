"""Word: a DOCX file -> its blocks in order, with the numbers that Word would draw before them."""

from __future__ import annotations

import zipfile
from pathlib import Path

from plugins.audit.errors import DocumentUnreadable
from plugins.audit.references.formats.web import Block

MOST_UNPACKED = 300 * 1024 * 1024
"""The bytes to which a file may unpack."""
MOST_MEMBERS = 5_000


def docx_blocks(path: Path) -> list[Block]:
    """Return the paragraphs of a document, headings by their style; rows of tables are blocks too.

    Raises DocumentUnreadable where the file is no DOCX, or would unpack to more than the limit.
    """
    _check(path)
    import docx
    from docx.opc.exceptions import PackageNotFoundError
    from docx.table import Table

    try:
        document = docx.Document(str(path))
        blocks: list[Block] = []
        for item in document.iter_inner_content():
            if isinstance(item, Table):
                blocks += [(" ".join(cell.text for cell in row.cells), False, "") for row in item.rows]
                continue
            style = str(item.style.name if item.style is not None else "").casefold()
            bold = bool(item.runs) and all(run.bold for run in item.runs if run.text.strip())
            short = len(item.text) < 110
            blocks.append(
                (item.text, style.startswith(("heading", "title", "überschrift", "titre")) or (bold and short), "")
            )
        return [block for block in blocks if block[0].strip()]
    except (PackageNotFoundError, KeyError, ValueError, zipfile.BadZipFile, OSError, SyntaxError) as error:
        raise DocumentUnreadable(
            f"{path.name}: not a readable DOCX file ({type(error).__name__}): save it again"
        ) from None


def _check(path: Path) -> None:
    """Refuse archives that unpack to too much, by the sizes in their directory, and XML with entities."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if len(members) > MOST_MEMBERS or sum(member.file_size for member in members) > MOST_UNPACKED:
                raise DocumentUnreadable(
                    f"{path.name}: it unpacks to more than {MOST_UNPACKED >> 20} MB: save it without its pictures"
                )
            for member in members:
                if member.filename.endswith((".xml", ".rels")) and b"<!DOCTYPE" in archive.open(member).read(4096):
                    raise DocumentUnreadable(
                        f"{path.name}: its XML declares a document type, which a DOCX file never does: save it again"
                    )
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError) as error:
        raise DocumentUnreadable(
            f"{path.name}: not a readable DOCX file ({type(error).__name__}): save it again"
        ) from None
