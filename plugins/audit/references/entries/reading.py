"""Reading: a file of any format that papers come in -> its bibliography."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from plugins.audit.errors import DocumentUnreadable, NoBibliography
from plugins.audit.references.entries.assembly import Bibliography, bibliography_of
from plugins.audit.references.entries.cues import begins, has_year
from plugins.audit.references.entries.headings import Span, bibliographies
from plugins.audit.references.formats import blocks_of_docx, blocks_of_html
from plugins.audit.references.lines import TextLine, block_lines, lines_of_page, plain_lines, without_furniture

TEXTS = (".txt", ".md", ".markdown", ".text", ".rst")
PAGES = (".html", ".htm", ".xhtml")
LATEX = (".bbl", ".tex", ".ltx")
MOST_BYTES = 64 * 1024 * 1024
"""The bytes of a text that are read; a file with more is refused."""
MOST_DOCX_BYTES = 300 * 1024 * 1024
"""The bytes of a Word file, which are mostly pictures: as many as it may unpack to."""
MOST_PASTED = 100_000
"""The lines up to which a text without a heading is taken for a pasted list."""
_EMPHASIS = re.compile(r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)")
_ATX = re.compile(r"#{1,6}[ \t]{1,8}")
_LABEL = re.compile(r"\s{0,8}(?:\[[^\]]{1,40}\]|\(\d{1,4}\)|\d{1,4}[.)]|[-*•])\s{1,8}")
_DEFINITION = re.compile(r"[ ]{0,3}\[\^([^\]\s]{1,60})\]:[ \t]{0,8}")


def references_of(path: Path | str, password: str | None = None) -> Bibliography:
    """Return the bibliography of a paper: PDF (or any document that is indexed), DOCX, HTML, Markdown or text.

    Nothing of the file is run, and no other file is opened. Raises NoBibliography where there is none,
    DocumentUnreadable for a file that cannot be read, and the FileError of any other file.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix in LATEX:
        raise DocumentUnreadable(f"{path.name}: LaTeX is not read: give the paper as PDF, or its bibliography as .bib")
    readers: dict[str, Callable[[Path], Bibliography]] = {
        **dict.fromkeys(TEXTS, _of_text),
        **dict.fromkeys(PAGES, _of_page),
        ".docx": _of_docx,
    }
    bibliography = readers[suffix](path) if suffix in readers else _of_printed(path, password)
    if not bibliography.references:
        raise NoBibliography(
            f"{path.name}: no bibliography was found under a heading such as References: paste its entries into "
            "a text file, one per paragraph, under that heading"
        )
    return bibliography


def _of_printed(path: Path, password: str | None) -> Bibliography:
    from indexing import printed_pages

    lines: list[TextLine] = []
    heights: dict[int, float] = {}
    ocr_pages: list[int] = []
    for page in printed_pages(path, password=password):
        own = lines_of_page(page, lines[-1].column + 1 if lines else 0)
        lines += own
        heights[page.number] = page.height
        if page.source == "ocr" and own:
            ocr_pages.append(page.number)
    lines = without_furniture(lines, heights)
    spans = bibliographies(lines)
    bibliography = bibliography_of(lines, spans)
    if ocr_pages and bibliography.references:
        note = f"Pages without text were recognised: {', '.join(map(str, ocr_pages[:20]))}."
        bibliography = replace(bibliography, notes=(*bibliography.notes, note))
    return bibliography


def _of_docx(path: Path) -> Bibliography:
    return _of_lines(block_lines(blocks_of_docx(_bytes(path, MOST_DOCX_BYTES), path.name)))


def _of_page(path: Path) -> Bibliography:
    return _of_lines(block_lines(blocks_of_html(_bytes(path), path.name)))


def _of_text(path: Path) -> Bibliography:
    """Return the list under its heading or, where it has none, the lines themselves, if they are entries."""
    lines = [_without_markdown(line) for line in plain_lines(_text(path))]
    bibliography = _of_lines(lines)
    if bibliography.references:
        return bibliography
    definitions, others = _definitions(lines)
    if definitions:
        whole = [*others, definitions[0], *definitions]  # the first stands for a heading
        return bibliography_of(whole, [Span(len(others) + 1, len(whole), "")])
    if len(lines) > 1 and len(lines) < MOST_PASTED and _is_list(lines):
        return bibliography_of(lines, [Span(0, len(lines), "")])
    return bibliography


def _definitions(lines: Sequence[TextLine]) -> tuple[list[TextLine], list[TextLine]]:
    """Return the lines of the definitions of footnotes, and the others."""
    definitions: list[TextLine] = []
    others: list[TextLine] = []
    inside = False
    for line in lines:
        inside = bool(line.label) or (inside and not line.new_block)
        (definitions if inside else others).append(line)
    return definitions, others


def _of_lines(lines: Sequence[TextLine]) -> Bibliography:
    return bibliography_of(lines, bibliographies(lines))


def _without_markdown(line: TextLine) -> TextLine:
    """Return a line of Markdown without its signs: a heading is bold, the definition of a footnote has its label."""
    text = line.text
    if definition := _DEFINITION.match(text):
        return replace(line, text=text[definition.end() :], label=f"[^{definition[1]}]", new_block=True)
    title = _ATX.match(text)
    if title:
        text, line = text[title.end() :].rstrip(" #"), replace(line, bold=True, new_block=True)
    return replace(line, text=_EMPHASIS.sub("", text))


def _is_list(lines: Sequence[TextLine]) -> bool:
    """Return True if most lines, or most blocks of lines, hold a year or an address as pasted entries do."""
    blocks: list[str] = []
    for line in lines:
        if line.new_block or not blocks or line.label:
            blocks.append(line.text)
        else:
            blocks[-1] += f" {line.text}"
    n_entries = sum((has_year(block) or "http" in block) and begins(_LABEL.sub("", block)) for block in blocks)
    return n_entries >= max(1, 0.5 * len(blocks))


def _text(path: Path) -> str:
    """Return a text in UTF-8, or in Latin-1 where it is none."""
    data = _bytes(path)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        return data.decode("latin-1").replace("\r\n", "\n").replace("\r", "\n")


def _bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    try:
        size = path.stat().st_size
        if size > most:
            raise DocumentUnreadable(
                f"{path.name}: {size >> 20} MB, the limit is {most >> 20} MB: give the part with the bibliography"
            )
        return path.read_bytes()
    except OSError as error:
        raise DocumentUnreadable(
            f"{path.name}: cannot be read ({error.strerror}): check the name and the disk"
        ) from None
