"""A file of any format that papers come in -> its bibliography: entries with label, text and places."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from plugins.audit.errors import DocumentUnreadable, NoBibliography
from plugins.audit.manuscripts import Block, PagePlace, docx_blocks, open_docx, web_page_blocks
from plugins.audit.marks import find_marks, with_accents
from plugins.audit.references.fields import fields_of
from plugins.audit.references.headings import UNNAMED, Span, begins, bibliographies, has_year, without_subheadings
from plugins.audit.references.lines import (
    TextLine,
    block_lines,
    join_lines,
    known_words,
    lines_of_page,
    plain_lines,
    without_furniture,
)
from plugins.audit.references.links import FieldName, Reference
from plugins.audit.references.splitting import entry_lines
from rag.attribution import CitationMark

BibliographyBlock = tuple[str, bool, str]
"""A block: its text, True for a heading, and the label that its list gives it."""
_HEADING_CHARS = 110
"""The most characters of a bold paragraph that is taken for a heading."""


def blocks_of_html(data: bytes, name: str) -> list[BibliographyBlock]:
    """Return the blocks of a page; items of numbered lists have their number as label. Linear in the page."""
    return [_block(block) for block in web_page_blocks(data, name)]


def blocks_of_docx(data: bytes, name: str) -> list[BibliographyBlock]:
    """Return the paragraphs and rows of a Word file but for its footnotes. Raises DocumentUnreadable."""
    return [_block(block) for block in docx_blocks(open_docx(data, name)) if block.kind != "note"]


def _block(block: Block) -> BibliographyBlock:
    is_heading = block.kind == "heading" or (block.bold and len(block.text) < _HEADING_CHARS)
    return " ".join(block.cells) or block.text, is_heading, block.label


MOST_ENTRIES = 20_000
_RULE = re.compile(r"(?<=\S)\s?_{5}")
"""A rule that is made of underscores ends an entry."""
_DASH = re.compile(r"\[?(?:[-–—_―](?:\s?[-–—_―]){1,11}|[–—―])\??(?P<alone>\s?[\].]|\s(?!and\b|und\b|et\b|&))?")
"""A dash for the authors of the entry before, alone or with others after it."""
MOST_CHARACTERS = 20_000
"""The characters that an entry may have; what is longer was not split, and is cut with a note."""


@dataclass(frozen=True, slots=True)
class Bibliography:
    """The references of a document, in its order, and the marks of its text.

    `body` is the text outside the bibliography, into which the `marks` count. `notes` say what a reader should know of
    how it was read: several lists, recognised pages, entries that were cut.
    """

    references: tuple[Reference, ...]
    marks: tuple[CitationMark, ...] = ()
    notes: tuple[str, ...] = ()
    body: str = ""


def bibliography_of(lines: Sequence[TextLine], spans: Sequence[Span]) -> Bibliography:
    """Return the bibliography of a document from its lines and the places of its lists in them."""
    references: list[Reference] = []
    notes: list[str] = []
    vocabulary = known_words([line.text for span in spans for line in lines[span.start : span.end]])
    for span in spans:
        for label, own in entry_lines(without_subheadings(lines[span.start : span.end])):
            if len(references) == MOST_ENTRIES:
                break
            reference = _reference(len(references) + 1, label, own, vocabulary)
            if reference is not None:
                references.append(_with_authors(reference, references[-1] if references else None))
    if len(references) == MOST_ENTRIES:
        notes.append(f"More than {MOST_ENTRIES:,} entries: only these were read.")
    if len(spans) > 1:
        notes.append(f"{len(spans)} bibliographies in one document: their entries are numbered one after the other.")
    long = [str(r.number) for r in references if len(r.text) >= MOST_CHARACTERS]
    if long:
        notes.append(f"Entries that could not be split and were cut short: {', '.join(long[:20])}.")
    body, superscripts = body_of(lines, spans)
    round_brackets = sum(r.label.startswith("(") for r in references) > 0.5 * len(references)
    marks = find_marks(body, superscripts=superscripts, parenthesised=round_brackets)
    return Bibliography(tuple(references), tuple(marks), tuple(notes), body)


def _reference(number: int, label: str, lines: Sequence[TextLine], vocabulary: frozenset[str]) -> Reference | None:
    pieces = [line.text for line in lines]
    if label and pieces[0].startswith(label):
        pieces[0] = pieces[0][len(label) :]
    text = _RULE.split(with_accents(join_lines(pieces, vocabulary)[:MOST_CHARACTERS]))[0].strip()
    if not any(c.isalnum() for c in text):
        return None
    if not label and UNNAMED.match(text):
        text = f"——— {text}"
    fields = fields_of(text)
    if fields.doi and "doi" not in fields.doubtful and _is_broken(fields.doi, pieces):
        fields = replace(fields, doubtful=(*fields.doubtful, "doi"))
    return Reference(number, text, fields, "" if label in "•▪◦‣·*–—-" else label, places_of(lines))


def _with_authors(reference: Reference, before: Reference | None) -> Reference:
    """Return the entry with the authors of the one before it, as doubtful, where a dash stands for them.

    Dashes are bullets where the first entry of the list has one, too.
    """
    names = reference.fields.authors
    dash = _DASH.match(reference.text)
    if before is None or dash is None or not (dash["alone"] or (names and _DASH.fullmatch(names[0]))):
        return reference
    if _DASH.match(before.text) and "authors" not in before.fields.doubtful:
        return reference
    authors = (*before.fields.authors, *(() if dash["alone"] else names[1:]))
    doubtful: tuple[FieldName, ...] = (*reference.fields.doubtful, "authors")
    return replace(reference, fields=replace(reference.fields, authors=authors, doubtful=doubtful))


def _is_broken(doi: str, lines: Sequence[str]) -> bool:
    """Return True if a DOI runs over the end of a line, or ends at one without a mark and the entry goes on."""
    at = next((i for i, line in enumerate(lines) if doi in line), None)
    return at is None or (at + 1 < len(lines) and lines[at].rstrip().endswith(doi))


def places_of(lines: Sequence[TextLine]) -> tuple[PagePlace, ...]:
    """Return a place for each page or column over which lines run."""
    parts: dict[tuple[int, int], list[TextLine]] = {}
    for line in lines:
        if line.box is not None:
            parts.setdefault((line.page, line.column), []).append(line)
    return tuple(PagePlace(page, tuple(line.box for line in own if line.box)) for (page, _), own in parts.items())


def body_of(lines: Sequence[TextLine], spans: Sequence[Span]) -> tuple[str, list[tuple[int, int]]]:
    """Return the text outside the bibliographies, and the spans of it that are raised; a block is a paragraph."""
    inside = {i for span in spans for i in range(span.start - 1, span.end)}
    parts: list[str] = []
    superscripts: list[tuple[int, int]] = []
    length = 0
    for i, line in enumerate(lines):
        if i in inside:
            continue
        text = line.text
        if parts and parts[-1].endswith("-") and text[:1].islower():
            parts[-1], length = parts[-1][:-1], length - 1
        elif parts:
            gap = "\n\n" if line.new_block else "\n"
            parts.append(gap)
            length += len(gap)
        superscripts += [(length + start, length + end) for start, end in line.raised]
        parts.append(text)
        length += len(text)
    return "".join(parts), superscripts


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
