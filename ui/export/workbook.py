"""Write a table as a workbook (XLSX) of one sheet: texts, numbers, and a last column of links into a file.

The parts are those that ECMA-376 requires. Every text is a string in its cell, so that none can act as a formula.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from ui.show import clean

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
