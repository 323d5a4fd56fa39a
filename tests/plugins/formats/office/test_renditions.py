"""Renditions of Office files: the pages of sheets and slides, and what stands on them."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from indexing.conversion import convert
from indexing.errors import NoPages, UnsupportedFile
from indexing.settings import IndexingSettings
from tests.plugins.formats.office import office_files

SETTINGS = IndexingSettings()


def test_a_sheet_becomes_a_table_whose_cells_have_boxes(tmp_path: Path) -> None:
    data = office_files.sheet_data([["Mill", "Tons"], ["Alma &amp; Bea &lt;b>", 12.5], ["磨坊", 7]])
    path = office_files.xlsx(tmp_path / "a.xlsx", [("Mills", "visible", data), ("Off", "hidden", data)])
    made = convert(path, SETTINGS)
    assert made.pages is not None
    heading, table = made.pages[0].elements
    assert (heading.kind, heading.text) == ("heading", "Mills")
    assert (table.kind, table.place, table.section) == ("table", "Mills, A1:B3", ("Mills",))
    assert table.text == "Mill | Tons\nAlma & Bea <b> | 12.5\n磨坊 | 7"
    assert [(c.row, c.col, c.header) for c in table.cells][:3] == [(0, 0, True), (0, 1, True), (1, 0, False)]
    with pymupdf.open(stream=made.pdf, filetype="pdf") as document:
        page = document[0]
        for cell in table.cells:
            box = pymupdf.Rect(cell.bbox.to_page(page.rect.width, page.rect.height))
            assert "".join(table.text[cell.start : cell.end].split()) == "".join(page.get_text(clip=box).split())
    assert made.notes[0] == "a.xlsx: 1 hidden sheet left out: Off."


def test_a_workbook_without_a_filled_cell_has_no_pages(tmp_path: Path) -> None:
    path = office_files.xlsx(tmp_path / "a.xlsx", [("S", "visible", "<sheetData/>")])
    with pytest.raises(NoPages, match="no visible cell with content"):
        convert(path, SETTINGS)


def test_a_text_that_is_no_office_file_is_not_given_to_libreoffice(tmp_path: Path) -> None:
    path = tmp_path / "a.doc"
    path.write_text("<html><img src='http://127.0.0.1:9/x.png'></html>")
    with pytest.raises(UnsupportedFile, match=r"its content does not match its extension \.doc"):
        convert(path, SETTINGS)


@pytest.mark.slow
@pytest.mark.usefixtures("libreoffice")
@pytest.mark.gate
def test_notes_follow_the_slides_and_hidden_slides_are_left_out(tmp_path: Path) -> None:
    style = '<style:style style:name="h" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'  # fmt: skip  # noqa: E501
    frame = '<draw:frame svg:width="20cm" svg:height="4cm" svg:x="2cm" svg:y="2cm"><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>'  # fmt: skip  # noqa: E501
    body = ""
    for n, hidden in ((1, False), (2, True), (3, False)):
        notes = f"<presentation:notes>{frame.format(f'Say number {n}.')}</presentation:notes>"
        named = 'draw:style-name="h"' if hidden else ""
        body += f'<draw:page draw:name="p{n}" {named}>{frame.format(f"Slide number {n}")}{notes}</draw:page>'
    path = office_files.odf(tmp_path / "talk.odp", "presentation", body, style, "<dc:title>Talk</dc:title>")
    made = convert(path, SETTINGS)
    with pymupdf.open(stream=made.pdf, filetype="pdf") as document:
        pages = [" ".join(page.get_text().split()) for page in document]
    assert pages == [
        "Slide number 1",
        "Slide number 3",
        "Notes of slide 1 Say number 1. Notes of slide 3 Say number 3.",
    ]
    assert (made.title, made.notes) == ("Talk", ("talk.odp: 1 hidden slide left out: 2.",))
