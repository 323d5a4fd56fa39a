"""Pages become paragraphs again: over columns and pages, without running heads; each statement has its boxes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from indexing import BBox, Cell, EncryptedFile, Page, ParsedPage
from plugins.audit.errors import DocumentUnreadable
from plugins.audit.manuscripts import PagePlace, read_manuscript
from plugins.audit.manuscripts.composition import build_manuscript
from plugins.audit.manuscripts.pages import page_blocks
from tests.support import documents
from tests.support.fakes import Kind, element


def page(number: int, *pieces: tuple[Kind, str]) -> ParsedPage:
    elements = tuple(element(text, "d", number, n, kind) for n, (kind, text) in enumerate(pieces, 1))
    return ParsedPage(Page("d", number, 420.0, 595.0), elements)


def said(*pages: ParsedPage) -> list[str]:
    return [s.text for s in build_manuscript("r", "pages", page_blocks(pages)).statements]


@pytest.mark.parametrize("mark", ["1", "¹"])
def test_a_sentence_goes_on_over_a_figure_a_footnote_and_a_page(mark: str) -> None:
    pages = (
        page(
            1,
            ("header", "The lights"),
            ("text", "The lamp of Holm was first lit in the spring of the year"),
            ("text", f"{mark}The keeper wrote it down."),
            ("footer", "1"),
        ),
        page(2, ("caption", "Figure 1: The tower."), ("picture", "40 steps"), ("text", "in which it was built.")),
    )
    assert said(*pages) == [
        "The lamp of Holm was first lit in the spring of the year in which it was built.",
        "The keeper wrote it down.",
        "Figure 1: The tower.",
    ]
    first = build_manuscript("r", "pages", page_blocks(pages)).statements[0]
    assert [p.page for p in first.places if isinstance(p, PagePlace)] == [1, 2]
    assert all(p.boxes for p in first.places if isinstance(p, PagePlace))


def test_a_word_that_a_page_breaks_is_whole() -> None:
    pages = page(1, ("text", "It is the light-")), page(2, ("text", "house that was built in 1887 by the town."))
    assert said(*pages) == ["It is the lighthouse that was built in 1887 by the town."]


def test_a_new_paragraph_is_none_of_the_one_before() -> None:
    assert said(page(1, ("text", "By Ada Holm"), ("text", "The lamp was lit."))) == ["By Ada Holm", "The lamp was lit."]


def test_a_line_that_stands_on_every_page_is_left_out() -> None:
    pages = [page(n, ("text", f"Holm Papers {n}"), ("text", f"Ship {n} has seats.")) for n in range(1, 4)]
    assert said(*pages) == ["Ship 1 has seats.", "Ship 2 has seats.", "Ship 3 has seats."]


def test_a_table_is_read_row_by_row_under_its_head() -> None:
    text = "Ship | Seats\nAlma | 120"
    box = BBox(0.1, 0.1, 0.4, 0.2)
    spans = ((0, 4), (7, 12), (13, 17), (20, 23))
    cells = tuple(Cell(n // 2, n % 2, 1, 1, start, end, box, n < 2) for n, (start, end) in enumerate(spans))
    table = replace(element(text, "d", 1, 1, "table"), cells=cells)
    found = build_manuscript("r", "pages", page_blocks([ParsedPage(Page("d", 1, 420.0, 595.0), (table,))]))
    assert [s.text for s in found.statements] == ["Ship: Alma; Seats: 120"]
    assert found.statements[0].places == (PagePlace(1, (box, box)),)


def test_a_pdf_is_read_with_its_pages_told_and_opened_by_its_password(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    locked = documents.encrypted(tmp_path / "locked.pdf")
    with pytest.raises(EncryptedFile, match="encrypted"):
        read_manuscript(locked)
    found = read_manuscript(locked, "open sesame", on_page=lambda done, total: told.append((done, total)))
    assert found.form == "pages"
    assert found.statements
    assert told[-1][0] == told[-1][1] == len(told)


@pytest.mark.slow
@pytest.mark.gate
def test_a_scan_is_read_by_ocr(tmp_path: Path) -> None:
    found = read_manuscript(documents.scanned(tmp_path / "scan.pdf", ["The lamp of Holm was lit in 1887."]))
    assert "1887" in found.text
    assert found.statements[0].places


def test_pages_of_pictures_alone_are_told(tmp_path: Path) -> None:
    from PIL import Image

    path = tmp_path / "blue.png"
    Image.new("RGB", (300, 200), "navy").save(path)
    with pytest.raises(DocumentUnreadable, match="no text could be read on its pages"):
        read_manuscript(path)
