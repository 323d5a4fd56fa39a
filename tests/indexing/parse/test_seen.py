"""What a page shows is read off it: the text layer counts where every letter of it was seen."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from indexing.parse import parse_page, seen_regions
from indexing.parse.likeness import seen
from indexing.settings import IndexingSettings
from indexing.types import ParsedPage, Region
from tests.support import disguises, documents

SETTINGS = IndexingSettings(pixels="images")
LINES = ("The ferry to Gull Island leaves at nine.", "Tickets cost 4 crowns at the office.")


def looked(page: pymupdf.Page) -> tuple[ParsedPage, tuple[Region, ...]]:
    """The page as it is parsed, and what is seen on it."""
    parsed = parse_page(page, "doc", SETTINGS)
    return parsed, seen_regions(page, parsed.elements, SETTINGS.ocr_pixels)


def words(regions: tuple[Region, ...]) -> str:
    return " ".join(region.text for region in regions)


@pytest.mark.parametrize("way", disguises.DISGUISES, ids=lambda way: way.__name__)
def test_what_a_page_shows_is_seen_and_not_what_its_text_says(tmp_path: Path, way: disguises.Disguise) -> None:
    page = pymupdf.open(disguises.disguised(tmp_path / "a.pdf", way))[0]
    parsed, regions = looked(page)
    assert not any("costs 4 crowns" in region.text for region in regions), [e.text for e in parsed.elements]


def test_writing_that_is_drawn_as_outlines_is_seen(tmp_path: Path) -> None:
    """A chart whose labels are outlines has no text layer: text mode cannot know them."""
    page = pymupdf.open(documents.pdf(tmp_path / "a.pdf", LINES))[0]
    label = pymupdf.open()
    drawn = label.new_page(width=300, height=200)
    drawn.draw_rect((5, 5, 295, 195), color=(0, 0, 0), fill=(0.9, 0.95, 1))
    drawn.insert_text((30, 110), "Herring landed", fontsize=28)
    outlines = pymupdf.open(stream=drawn.get_svg_image(text_as_path=True).encode(), filetype="svg").convert_to_pdf()
    page.show_pdf_page(pymupdf.Rect(60, 250, 360, 450), pymupdf.open(stream=outlines, filetype="pdf"))
    parsed, regions = looked(documents.reopened(page))
    assert "Herring" not in " ".join(e.text for e in parsed.elements)
    assert "Herring" in words(regions)


def test_words_that_ocr_read_in_a_picture_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = pymupdf.open(documents.pdf(tmp_path / "a.pdf", LINES))[0]
    label = pymupdf.open().new_page(width=300, height=120)
    label.insert_text((20, 70), "Herring landed", fontsize=28)
    page.insert_image(pymupdf.Rect(60, 250, 360, 370), pixmap=label.get_pixmap(dpi=150))
    page = documents.reopened(page)
    parsed = parse_page(page, "doc", SETTINGS)
    assert "Herring" in " ".join(e.text for e in parsed.elements)
    monkeypatch.setattr(seen, "read_scored", lambda images: pytest.fail("read twice") if images else [])
    assert "Herring" in words(seen_regions(page, parsed.elements, SETTINGS.ocr_pixels))


def test_a_blank_page_shows_nothing(tmp_path: Path) -> None:
    assert looked(pymupdf.open(documents.pdf(tmp_path / "a.pdf", ()))[0])[1] == ()
