"""Workbooks of both kinds: cells as shown, addresses, what is hidden, and files that would fill memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing.errors import DamagedFile, TooLarge
from indexing.settings import IndexingSettings
from plugins.formats.office import grid
from plugins.formats.office.grid import Workbook
from plugins.formats.office.sheets import read_workbook, workbook_notes
from tests.plugins.formats.office import office_files

SETTINGS = IndexingSettings()
STYLES = (
    '<numFmts><numFmt numFmtId="164" formatCode="#,##0.0&quot; t&quot;"/></numFmts><cellXfs><xf numFmtId="0"/>'
    '<xf numFmtId="10"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs>'
)


def read(path: Path) -> Workbook:
    return read_workbook(path, SETTINGS)[0]


def texts(book: Workbook, at: int = 0) -> dict[str, str]:
    """Return the cells of a sheet by column and row."""
    return {f"{c}/{row.number}": cell.text for row in book.sheets[at].rows for c, cell in row.cells.items()}


def test_cells_of_excel_as_they_are_shown(tmp_path: Path) -> None:
    data = (
        '<sheetData><row r="2"><c r="B2" t="s"><v>0</v></c><c r="C2" s="1"><v>0.125</v></c><c s="2"><v>45429</v></c>'
        '<c s="3"><v>1234.56</v></c><c t="b"><v>1</v></c><c t="e"><v>#REF!</v></c><c t="str"><f>A1</f><v>made</v></c>'
        '<c><f>B2</f></c><c t="s"><v>99</v></c><c><v>1.5</v></c></row><row r="5"><c r="XFD5"><v>7</v></c></row>'
        '</sheetData><mergeCells><mergeCell ref="B2:B3"/></mergeCells>'
    )
    strings = '<si><r><t>Mill </t></r><r><t>Alma</t></r><rPh sb="0" eb="1"><t>ミル</t></rPh></si>'
    book = read(office_files.xlsx(tmp_path / "a.xlsx", [("S", "visible", data)], strings=strings, styles=STYLES))
    assert texts(book) == {
        "2/2": "Mill Alma", "3/2": "12.50%", "4/2": "2024-05-17", "5/2": "1,234.6 t", "6/2": "TRUE", "7/2": "#REF!",
        "8/2": "made", "11/2": "1.5", "16384/5": "7",
    }  # fmt: skip
    assert (book.sheets[0].rows[0].cells[2].row_span, book.formulas_without_value) == (2, 1)


def test_what_is_hidden_in_excel_is_left_out_and_told(tmp_path: Path) -> None:
    data = (
        '<cols><col min="2" max="16384" hidden="1"/></cols><sheetData><row><c><v>1</v></c><c><v>2</v></c></row>'
        '<row hidden="1"><c><v>3</v></c></row><row hidden="1"/><row><c><v>4</v></c></row></sheetData>'
    )
    book = read(office_files.xlsx(tmp_path / "a.xlsx", [("S", "visible", data), ("T", "veryHidden", data)]))
    assert texts(book) == {"1/1": "1", "1/4": "4"}
    assert [row.position for row in book.sheets[0].rows] == [1, 2]
    assert list(workbook_notes("a.xlsx", book)) == [
        "a.xlsx: 1 hidden sheet left out: T.",
        "a.xlsx: 1 hidden row and 1 hidden column of sheet S left out.",
    ]


def test_cells_of_opendocument_as_the_file_shows_them(tmp_path: Path) -> None:
    styles = '<style:style style:name="off"><style:table-properties table:display="false"/></style:style>'
    row = (
        '<table:table-row><table:table-cell office:value-type="string" table:number-columns-spanned="2"><text:p>Mill'
        "<text:s/>Alma<office:annotation><text:p>no</text:p></office:annotation></text:p></table:table-cell>"
        "<table:covered-table-cell><text:p>under</text:p></table:covered-table-cell><table:table-cell"
        ' table:number-columns-repeated="2" office:value-type="date"><text:p>17. Mai 2024</text:p></table:table-cell>'
        '<table:table-cell office:value-type="float" office:value="5"/></table:table-row>'
    )
    body = (
        f'<table:table table:name="Übersicht"><table:table-column table:number-columns-repeated="4"/>'
        f'<table:table-column table:visibility="collapse"/><table:table-header-rows>{row}</table:table-header-rows>'
        '<table:table-row table:number-rows-repeated="1000000"><table:table-cell/></table:table-row>'
        f'<table:table-row table:visibility="filter"><table:table-cell><text:p>f</text:p></table:table-cell>'
        '</table:table-row><table:table-row table:number-rows-repeated="2"><table:table-cell><text:p>twice</text:p>'
        '</table:table-cell></table:table-row></table:table><table:table table:name="T" table:style-name="off">'
        f"{row}</table:table>"
    )
    book = read(office_files.odf(tmp_path / "a.ods", "spreadsheet", body, styles))
    assert texts(book) == {
        "1/1": "Mill Alma", "3/1": "17. Mai 2024", "4/1": "17. Mai 2024", "1/1000003": "twice", "1/1000004": "twice",
    }  # fmt: skip
    sheet = book.sheets[0]
    assert (sheet.name, sheet.hidden_rows, sheet.hidden_columns, book.hidden) == ("Übersicht", 1, 1, ["T"])
    assert (sheet.rows[0].cells[1].col_span, sheet.rows[0].cells[3].number) == (2, True)


def test_a_bomb_of_repeated_rows_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid, "MAX_CELLS", 20_000)
    cell = '<table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell>'
    body = f'<table:table><table:table-row table:number-rows-repeated="1048576">{cell}</table:table-row></table:table>'
    with pytest.raises(TooLarge, match="more than 20,000 filled cells: split it"):
        read(office_files.odf(tmp_path / "bomb.ods", "spreadsheet", body))


def test_ten_thousand_sheets_are_too_many(tmp_path: Path) -> None:
    body = "".join(f'<table:table table:name="{n}"/>' for n in range(10_000))
    with pytest.raises(TooLarge, match="more than 2,000 sheets"):
        read(office_files.odf(tmp_path / "many.ods", "spreadsheet", body))


def test_many_cells_and_many_characters_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "".join(f'<row r="{n}">' + '<c t="s"><v>0</v></c>' * 100 + "</row>" for n in range(1, 12))
    sheet = [("S", "visible", f"<sheetData>{rows}</sheetData>")]
    path = office_files.xlsx(tmp_path / "a.xlsx", sheet, strings="<si><t>word</t></si>" * 100)
    monkeypatch.setattr(grid, "MAX_CELLS", 1000)
    with pytest.raises(TooLarge, match="more than 1,000 filled cells"):
        read(path)
    monkeypatch.setattr(grid, "MAX_CHARS", 300)
    with pytest.raises(TooLarge, match="more than 300 characters in cells"):
        read(path)


@pytest.mark.parametrize("content", ["<sheetData><row><c><v>1</v></c>", "<a>" * 1000])
def test_a_damaged_sheet(tmp_path: Path, content: str) -> None:
    with pytest.raises(DamagedFile):
        read(office_files.xlsx(tmp_path / "a.xlsx", [("S", "visible", content)]))


def test_numbers_out_of_range_are_no_places(tmp_path: Path) -> None:
    data = (
        '<sheetData><row r="99999999999"><c r="ZZZZ1"><v>1</v></c><c r="A9" s="-5"><v>2</v></c><c s="777"><v>3</v></c>'
        '<c t="s"><v>-1</v></c><c><v>nan</v></c></row></sheetData><mergeCells><mergeCell ref="B1"/>'
        '<mergeCell ref="C1:A9"/></mergeCells>'
    )
    book = read(office_files.xlsx(tmp_path / "a.xlsx", [("S", "visible", data)]))
    assert texts(book) == {"1/1": "2", "2/1": "3", "4/1": "nan"}
