"""Write the claims of an answer as a table, CSV or a workbook (XLSX): a row for each sentence and cited place.

The parts are those that ECMA-376 requires. Every text is a string in its cell, so that none can act as a formula.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from indexing import BBox
from ui.export.sources import MARK, ExportContents, Files
from ui.export.writers import html_page
from ui.show import VERDICT_NAMES, clean, how_checked, safe_cell

if TYPE_CHECKING:
    from indexing import Element
    from ui.export.sources import Source


Cell = str | int | float
_MOST = 32_767
"""The most characters of a cell."""
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_FORMATS = "http://schemas.openxmlformats.org"
_MAIN, _RELATIONS = f"{_FORMATS}/spreadsheetml/2006/main", f"{_FORMATS}/officeDocument/2006/relationships"
_PACKAGE, _TYPE = f"{_FORMATS}/package/2006", "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}">'
    '<sheets><sheet name="Claims" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}
"""The parts that are the same in every workbook, by their names."""


def workbook(
    heads: Sequence[str], rows: Sequence[Sequence[Cell]], links: Sequence[tuple[str, str] | None], mark: str
) -> bytes:
    """Return a workbook; `heads` has one more column than `rows`, for the `links`: (file beside it, fragment) or None.

    `mark` becomes the comment of the ZIP archive.
    """
    last = _column(len(heads) - 1)
    files = list(dict.fromkeys(link[0] for link in links if link))
    lines = [[*row, "open" if link else ""] for row, link in zip(rows, links, strict=True)]
    sheet = "".join(_row(number, line) for number, line in enumerate([heads, *lines], 1))
    hyperlinks = "".join(
        f'<hyperlink ref="{last}{number}" r:id="rId{files.index(link[0]) + 1}" location={quoteattr(link[1])}/>'
        for number, link in enumerate(links, 2)
        if link
    )
    relations = "".join(
        f'<Relationship Id="rId{number}" Type="{_RELATIONS}/hyperlink" Target={quoteattr(quote(file))} '
        'TargetMode="External"/>'
        for number, file in enumerate(files, 1)
    )
    parts = _PARTS | {
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_MAIN}" xmlns:r="{_RELATIONS}">'
        f"<sheetData>{sheet}</sheetData>{f'<hyperlinks>{hyperlinks}</hyperlinks>' if hyperlinks else ''}</worksheet>",
        "xl/worksheets/_rels/sheet1.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f"{relations}</Relationships>",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name), (_HEAD + text).encode(errors="replace"))
        archive.comment = mark.encode()
    return buffer.getvalue()


def _row(number: int, cells: Sequence[Cell]) -> str:
    return f'<row r="{number}">{"".join(_cells(number, cells))}</row>'


def _cells(number: int, cells: Sequence[Cell]) -> Iterator[str]:
    for at, cell in enumerate(cells):
        if isinstance(cell, str):
            text = escape(clean(cell)[:_MOST])
            yield f'<c r="{_column(at)}{number}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
        else:
            yield f'<c r="{_column(at)}{number}"><v>{cell}</v></c>'


def _column(at: int) -> str:
    """Return the letter of a column: A for 0, up to Z for 25."""
    return chr(ord("A") + at)


_HEADS = (
    *("Number", "Sentence", "Verdict", "How it was checked", "Source", "Role", "Document", "Page", "Section"),
    *("Left", "Top", "Right", "Bottom", "Quote", "Text around it", "Anchor"),
)
_AROUND = 120
"""The most characters of context before a quote, and after it."""


def claims_file(contents: ExportContents, target: Path) -> Files:
    """Return the claims as CSV. No cell can be taken for a formula; boxes are fractions of the displayed page.

    The header of the last, empty column is MARK.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow((*_HEADS, MARK))
    for _, row in _rows(contents):
        writer.writerow((*(safe_cell(cell) if isinstance(cell, str) else cell for cell in row), ""))
    return {target: buffer.getvalue().encode("utf-8-sig", errors="replace")}


def workbook_files(contents: ExportContents, target: Path) -> Files:
    """Return the claims as XLSX, and the answer as HTML beside it: each row links to the picture of its box there."""
    page = target.with_suffix(".html")
    rows = list(_rows(contents))
    links = [(page.name, f"source-{number}") if number else None for number, _ in rows]
    content = workbook((*_HEADS, f"Box in {page.name}"), [row for _, row in rows], links, MARK)
    return {target: content, page: html_page(contents).encode()}


def _rows(contents: ExportContents) -> Iterator[tuple[int, tuple[Cell, ...]]]:
    """Yield (number of the source, cells) of each row; the number is 0 for a sentence that cites nothing."""
    sources = {source.number: source for source in contents.sources}
    elements = _elements(contents)
    earlier: Counter[tuple[str, str]] = Counter()
    for number, sentence in enumerate(contents.answer.sentences, 1):
        claim = (number, sentence.text, VERDICT_NAMES[sentence.verdict], how_checked(sentence))
        numbers = contents.answer.numbers(sentence)
        for n in numbers:
            citation = sources[n].citation
            key = citation.element_id, citation.quote
            yield n, (*claim, *_place(sources[n], elements.get(citation.element_id), earlier[key]))
            earlier[key] += 1
        if not numbers:
            yield 0, (*claim, *[""] * (len(_HEADS) - len(claim)))


def _elements(contents: ExportContents) -> dict[str, Element]:
    """Return the elements of the cited pages by their ids; none where their collection is gone."""
    if contents.collection is None:
        return {}
    places = list(dict.fromkeys((s.citation.doc_id, s.citation.page) for s in contents.sources))
    return {element.id: element for own in contents.collection.elements_on(places) for element in own}


def _place(source: Source, element: Element | None, earlier: int) -> tuple[Cell, ...]:
    """Return the cells on a source, with the box around its cited lines or, if it has none, its element's box.

    `earlier` is the number of previous rows with the same quote of the same element.
    """
    citation = source.citation
    box = BBox.union(citation.boxes) if citation.boxes else citation.bbox
    sides = (round(side, 4) for side in box.as_tuple())
    section = " > ".join(element.section) if element is not None else ""
    around = _quote_with_context(element.text, citation.quote, earlier) if element is not None else ""
    place = source.number, citation.role, citation.document, citation.page, section
    return *place, *sides, citation.quote, around, str(source.anchor)


def _quote_with_context(text: str, quote: str, earlier: int) -> str:
    """Return a quote with its context in a text, skipping `earlier` occurrences; "" if it does not occur."""
    spans = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(quote)}(?!\w)", text)] if quote else []
    if not spans:
        return ""
    start, end = spans[min(earlier, len(spans) - 1)]
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    if start > _AROUND:
        before = f"\u2026 {before.partition(' ')[2]}"
    if end + _AROUND < len(text):
        after = f"{after.rpartition(' ')[0]} \u2026"
    return f"{before}{text[start:end]}{after}"
