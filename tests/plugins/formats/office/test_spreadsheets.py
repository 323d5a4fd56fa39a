"""Spreadsheets of both kinds: cells as shown, tables and their addresses, what is hidden, and files that are bombs."""

from collections.abc import Mapping
from pathlib import Path

import pymupdf
import pytest

from indexing.conversion import Rendition, convert
from indexing.errors import DamagedFile, FileError, NoPages, TooLarge
from indexing.settings import IndexingSettings
from plugins.formats.office import grid
from plugins.formats.office.grid import SheetCell, SheetGrid, SheetRow, sheet_blocks
from plugins.formats.typesetting import SourceBlock
from tests.plugins.formats.laid_out import elements, letters, shown
from tests.plugins.formats.office import office_files

STYLES = (
    '<numFmts><numFmt numFmtId="164" formatCode="#,##0.0&quot; t&quot;"/></numFmts><cellXfs><xf numFmtId="0"/>'
    '<xf numFmtId="10"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs>'
)
HIDDEN = (
    '<cols><col min="2" max="16384" hidden="1"/></cols><sheetData><row><c><v>1</v></c><c><v>2</v></c></row>'
    '<row hidden="1"><c><v>3</v></c></row><row hidden="1"/><row><c><v>4</v></c></row></sheetData>'
)


def xlsx(folder: Path, *sheets: tuple[str, str, str], strings: str = "") -> Rendition:
    return convert(office_files.xlsx(folder / "a.xlsx", sheets, strings=strings, styles=STYLES), IndexingSettings())


def ods(folder: Path, body: str, styles: str = "") -> Rendition:
    return convert(office_files.odf(folder / "a.ods", "spreadsheet", body, styles), IndexingSettings())


def tables(rendition: Rendition) -> list[tuple[str, str]]:
    return [(e.place, e.text) for e in elements(rendition) if e.kind != "heading"]


def test_a_sheet_becomes_a_table_whose_cells_have_boxes(tmp_path: Path) -> None:
    data = office_files.sheet_data([["Mill", "Tons"], ["Alma &amp; Bea &lt;b>", 12.5], ["磨坊", 7]])
    made = xlsx(tmp_path, ("Mills", "visible", data), ("Off", "hidden", data))
    heading, table = elements(made)
    assert (heading.kind, heading.text) == ("heading", "Mills")
    assert (table.kind, table.place, table.section) == ("table", "Mills, A1:B3", ("Mills",))
    assert table.text == "Mill | Tons\nAlma & Bea <b> | 12.5\n磨坊 | 7"
    assert [(c.row, c.col, c.header) for c in table.cells][:3] == [(0, 0, True), (0, 1, True), (1, 0, False)]
    assert shown(made, table) == letters(table.text)
    with pymupdf.open(stream=made.pdf, filetype="pdf") as document:
        for cell in table.cells:
            box = pymupdf.Rect(cell.bbox.to_page(*document[0].rect.br))
            assert letters(table.text[cell.start : cell.end]) == letters(document[0].get_text(clip=box))
    assert made.notes[0] == "a.xlsx: 1 hidden sheet left out: Off."


def test_cells_of_excel_as_they_are_shown(tmp_path: Path) -> None:
    data = (
        '<sheetData><row r="2"><c r="B2" t="s"><v>0</v></c><c r="C2" s="1"><v>0.125</v></c><c s="2"><v>45429</v></c>'
        '<c s="3"><v>1234.56</v></c><c t="b"><v>1</v></c><c t="e"><v>#REF!</v></c><c t="str"><f>A1</f><v>made</v></c>'
        '<c><f>B2</f></c><c t="s"><v>99</v></c><c><v>1.5</v></c></row><row r="5"><c r="XFD5"><v>7</v></c></row>'
        '</sheetData><mergeCells><mergeCell ref="B2:B3"/></mergeCells>'
    )
    strings = '<si><r><t>Mill </t></r><r><t>Alma</t></r><rPh sb="0" eb="1"><t>ミル</t></rPh></si>'
    made = xlsx(tmp_path, ("S", "visible", data), strings=strings)
    assert tables(made) == [
        ("S, B2:H2", "Mill Alma | 12.50% | 2024-05-17 | 1,234.6 t | TRUE | #REF! | made"),
        ("S, K2", "1.5"), ("S, XFD5", "7"),
    ]  # fmt: skip
    assert "1 formula without a stored result left out" in made.notes[0]


def test_what_is_hidden_in_excel_is_left_out_and_counted(tmp_path: Path) -> None:
    made = xlsx(tmp_path, ("S", "visible", HIDDEN), ("T", "veryHidden", HIDDEN))
    assert tables(made) == [("S, A1", "1"), ("S, A4", "4")]
    assert made.notes == (
        "a.xlsx: 1 hidden sheet left out: T.",
        "a.xlsx: 1 hidden row and 1 hidden column of sheet S left out.",
    )


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
    made = ods(tmp_path, body, styles)
    assert tables(made) == [
        ("Übersicht, A1:D1", "Mill Alma | 17. Mai 2024 | 17. Mai 2024"),
        ("Übersicht, A1000003", "twice"), ("Übersicht, A1000004", "twice"),
    ]  # fmt: skip
    assert made.notes == (
        "a.ods: 1 hidden sheet left out: T.",
        "a.ods: 1 hidden row and 1 hidden column of sheet Übersicht left out.",
    )


def cells(number: int, row: int) -> str:
    cell = f'<table:table-cell table:number-columns-repeated="{number}"><text:p>x</text:p></table:table-cell>'
    return f'<table:table><table:table-row table:number-rows-repeated="{row}">{cell}</table:table-row></table:table>'


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (cells(16_384, 1_048_576), "more than 20,000 filled cells: split it"),
        ("".join(f'<table:table table:name="{n}"/>' for n in range(2_100)), "more than 2,000 sheets"),
        (cells(101, 101), "more than 10,000 characters in cells"),
    ],
)
def test_a_bomb_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, message: str) -> None:
    monkeypatch.setattr(grid, "MAX_CELLS", 20_000)
    monkeypatch.setattr(grid, "MAX_CHARS", 10_000)
    if "characters" in message:
        row = '<row><c t="str"><v>' + "x" * 500 + "</v></c></row>"
        with pytest.raises(TooLarge, match=message):
            xlsx(tmp_path, ("S", "visible", f"<sheetData>{row * 30}</sheetData>"))
    else:
        with pytest.raises(TooLarge, match=message):
            ods(tmp_path, body)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ("<sheetData><row><c><v>1</v></c>", DamagedFile), ("<a>" * 1000, DamagedFile), ("<sheetData/>", NoPages),
    ],
)  # fmt: skip
def test_a_damaged_or_empty_sheet(tmp_path: Path, data: str, error: type[FileError]) -> None:
    with pytest.raises(error, match=r"a\.xlsx"):
        xlsx(tmp_path, ("S", "visible", data))


# ---- tables of a grid -----------------------------------------------------------------------------------------------


def blocks(rows: Mapping[int, Mapping[int, str]]) -> list[SourceBlock]:
    """Return the blocks of a sheet of texts; those that are digits are numbers."""
    made = SheetGrid("Sheet 2")
    for number, cells in rows.items():
        made.rows.append(SheetRow(number, number, {c: SheetCell(t, t.isdecimal()) for c, t in cells.items()}))
    return [block for block in sheet_blocks(made) if block.kind != "heading"]


@pytest.mark.parametrize(
    ("rows", "places"),
    [
        ({n: {2: "Mill", 4: "1", 9: "Ship", 10: "2"} for n in (1, 2)}, ["B1:D2", "I1:J2"]),  # side by side
        ({1: {1: "1", 2: "2"}, 2: {1: "3", 2: "4"}, 4: {1: "5", 2: "6"}}, ["A1:B2", "A4:B4"]),  # an empty row
        ({1: {1: "Mills"}, 2: {1: "Mill", 2: "Tons"}, 3: {1: "Alma", 2: "12"},
          4: {1: "All tons are metric, and weighed after the grinding was done."}, 6: {1: "Note"}, 7: {1: "Second"}},
         ["A1", "A2:B3", "A4", "A6", "A7"]),  # lines that stand alone are no rows
    ],
)  # fmt: skip
def test_tables_and_lines_are_told_apart(rows: dict[int, dict[int, str]], places: list[str]) -> None:
    assert [block.place for block in blocks(rows)] == [f"Sheet 2, {place}" for place in places]
