"""Real pages through the real model: what becomes of text, scans, pictures and pages with next to nothing on them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image

from indexing.parse import parse_page
from indexing.settings import IndexingSettings
from indexing.types import BBox, Element, ParsedPage
from tests.support import documents

pytestmark = pytest.mark.slow

PROSE = (
    "The night bus leaves the harbour at ten minutes past ten and reaches the upper town before the last tram has "
    "gone. It costs two crowns, and nothing for children. Dogs travel on the rear platform, as they have done since "
    "the first run."
)
LINES = ["The keeper counted nine barrels of cider.", "He wrote the number down in a green book."]


def article() -> pymupdf.Page:
    """A title, two paragraphs of several lines, a picture with writing on it and a caption."""
    page = pymupdf.open().new_page(width=595, height=842)
    page.insert_text((72, 90), "Buses of the upper town", fontsize=22, fontname="hebo")
    page.insert_textbox((72, 120, 523, 220), PROSE, fontsize=11)
    page.insert_text((72, 250), "Fares and dogs", fontsize=15, fontname="hebo")
    page.insert_textbox((72, 265, 523, 365), PROSE, fontsize=11)
    image = documents.picture(["Cider press", "Nine barrels"])
    page.insert_image((140, 390, 455, 600), stream=documents.png(image))
    page.insert_text((140, 620), "Figure 1: The press behind the bus depot.", fontsize=9)
    return documents.reopened(page)


def scan_of(page: pymupdf.Page, dpi: int = 150) -> pymupdf.Page:
    """The page as an image."""
    copy = pymupdf.open().new_page(width=page.rect.width, height=page.rect.height)
    copy.insert_image(copy.rect, stream=page.get_pixmap(dpi=dpi).tobytes("jpeg"))
    return documents.reopened(copy)


def parse(page: pymupdf.Page, ocr: str = "auto") -> ParsedPage:
    return parse_page(page, "d", IndexingSettings(ocr=ocr, ocr_pixels=1024))  # type: ignore[arg-type]


def assert_sound(parsed: ParsedPage) -> None:
    """Ids are unique, spans slice words without blanks, word boxes lie in their element's box."""
    ids = [e.id for e in parsed.elements]
    assert len(ids) == len(set(ids))
    for e in parsed.elements:
        for (start, end), box in zip(e.words.spans.tolist(), e.words.boxes.tolist(), strict=True):
            assert e.text[start:end].strip() == e.text[start:end] != ""
            word = BBox(*box)
            assert word.overlap(e.bbox) > 0.3 * word.area, (e.kind, e.text[start:end])


def found(parsed: ParsedPage, text: str) -> Element:
    return next(e for e in parsed.elements if text in e.text and e.kind != "group")


def ink_in(page: pymupdf.Page, box: BBox) -> float:
    """Share of the dark pixels of the page that lie in `box`, its edges widened by two pixels."""
    drawn = page.get_pixmap(dpi=100)
    dark = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.width, 3).min(2) < 128
    x0, y0, x1, y1 = box.to_page(drawn.width, drawn.height)
    inside = dark[max(int(y0) - 2, 0) : int(y1) + 3, max(int(x0) - 2, 0) : int(x1) + 3]
    return float(inside.sum() / dark.sum())


@pytest.fixture(scope="module")
def parsed() -> ParsedPage:
    return parse(article())


@pytest.mark.gate
def test_kinds_and_reading_order(parsed: ParsedPage) -> None:
    assert_sound(parsed)
    single = [e for e in parsed.elements if e.kind != "group"]
    assert [e.kind for e in single[:4]] == ["heading", "text", "heading", "text"]
    assert sorted(e.kind for e in single[4:]) == ["caption", "picture"]
    assert [e.source for e in single] == ["layer"] * 6
    assert single[1].text == PROSE
    assert [e.id for e in single] == [f"d-1-{n}" for n in range(1, 7)]


@pytest.mark.gate
def test_a_picture_on_a_text_page_is_read_and_knows_its_caption(parsed: ParsedPage) -> None:
    (picture,) = [e for e in parsed.elements if e.kind == "picture"]
    assert "Cider press" in picture.text
    assert "Nine barrels" in picture.text
    assert picture.caption == "Figure 1: The press behind the bus depot."
    boxes = picture.words.line_boxes(picture.text.index("Nine"), picture.text.index("barrels") + 7)
    assert len(boxes) == 1
    expected = BBox.from_page(
        140 + 315 * 60 / 900, 390 + 210 * 310 / 600, 140 + 315 * 345 / 900, 390 + 210 * 360 / 600, 595, 842
    )
    assert expected is not None
    assert boxes[0].iou(expected) > 0.4


@pytest.mark.slow
@pytest.mark.gate
def test_a_scan_is_read_and_its_boxes_are_where_those_of_the_original_are(parsed: ParsedPage) -> None:
    scan = parse(scan_of(article()))
    assert_sound(scan)
    assert {e.source for e in scan.elements} == {"ocr"}
    for needle in ("Buses of the upper town", "Nine barrels", "Figure 1"):
        assert any(needle in e.text for e in scan.elements), needle
    words = {w for e in scan.elements if e.kind != "group" for w in e.text.split()}
    assert len(set(PROSE.split()) & words) > 0.9 * len(set(PROSE.split()))
    title, original = found(scan, "Buses of the upper town"), found(parsed, "Buses of the upper town")
    start, before = title.text.index("Buses"), original.text.index("Buses")
    (ours,), (theirs,) = title.words.line_boxes(start, start + 5), original.words.line_boxes(before, before + 5)
    assert np.abs(np.subtract(ours.as_tuple(), theirs.as_tuple())).max() < 0.015


@pytest.mark.parametrize("rotation", [pytest.param(90, marks=pytest.mark.gate), 180, 270])
@pytest.mark.slow
def test_a_scan_that_is_turned_by_its_page_is_read_as_displayed(rotation: int) -> None:
    """The pixels lie on their side in the file, and /Rotate puts them upright."""
    upright = pymupdf.open().new_page(width=420, height=300)
    upright.insert_text((40, 80), LINES[0], fontsize=14)
    width, height = (420, 300) if rotation == 180 else (300, 420)
    page = pymupdf.open().new_page(width=width, height=height)
    image = Image.frombytes("RGB", (875, 625), upright.get_pixmap(dpi=150).samples)
    page.insert_image(page.rect, stream=documents.png(image.rotate(rotation, expand=True)))
    page.set_rotation(rotation)
    parsed = parse(documents.reopened(page))
    assert (parsed.page.width, parsed.page.height, parsed.page.rotation) == (420, 300, rotation)
    element = found(parsed, "nine barrels")
    (box,) = element.words.line_boxes(0, len(element.text))
    assert ink_in(upright, box) > 0.9
    assert box.area < 0.06


BESIDE: dict[str, Callable[[pymupdf.Page], object]] = {
    "nothing": lambda _: None,
    "a picture": lambda page: page.insert_image(
        (40, 100, 340, 300), pixmap=pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 9, 6))
    ),
    "a line": lambda page: page.draw_line((40, 100), (340, 300)),
    "a stamp": lambda page: page.add_stamp_annot((40, 100, 340, 300)),
    "a note": lambda page: page.add_freetext_annot((40, 100, 340, 300), "Cider"),
}


@pytest.mark.gate
def test_words_without_a_usable_layer_are_no_words() -> None:
    """A layer of characters that say nothing (no way back from glyphs to text) is not believed."""
    page = pymupdf.open("pdf", documents.unreadable())[0]
    assert len("".join(page.get_text().split())) == 40
    page.insert_image((20, 20, 280, 160), stream=documents.png(documents.picture(["Nine barrels"])))
    elements = parse(documents.reopened(page)).elements
    assert any("Nine barrels" in e.text and e.source == "ocr" for e in elements)


@pytest.mark.gate
def test_a_table_has_rows_cells_and_boxes_of_its_cells() -> None:
    rows = [
        ["Landing stage", "Seats", "Opened"],
        ["Mint Wharf", "44", "1902"],
        ["Merrow", "12", "1911"],
        ["Quay", "97", "1920"],
    ]
    page = pymupdf.open().new_page(width=595, height=400)
    page.insert_text((72, 60), "Landing stages of the ferry and what they offer", fontsize=14, fontname="hebo")
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            page.insert_text((80 + 140 * c, 110 + 24 * r), text, fontsize=11)
    for r in range(5):
        page.draw_line((72, 92 + 24 * r), (500, 92 + 24 * r))
    for x in (72, 212, 352, 500):
        page.draw_line((x, 92), (x, 188))
    page = documents.reopened(page)
    (table,) = [e for e in parse(page).elements if e.kind == "table"]
    assert table.text.split("\n") == [" | ".join(row) for row in rows]
    assert [table.text[c.start : c.end] for c in table.cells if c.header] == rows[0]
    cell = next(c for c in table.cells if table.text[c.start : c.end] == "44")
    (seen,) = page.search_for("44")
    box = BBox.from_page(*seen, 595, 400)
    assert box is not None
    assert box.iou(cell.bbox) > 0.6


@pytest.mark.slow
@pytest.mark.parametrize("size", [(3, 3), (2000, 4), (4, 2000)])
def test_pages_of_odd_sizes_do_no_harm(size: tuple[float, float]) -> None:
    page = pymupdf.open().new_page(width=size[0], height=size[1])
    page.draw_rect((0, 0, size[0] / 2, size[1]), fill=(0, 0, 0))
    assert all(e.text == "" for e in parse(documents.reopened(page)).elements)


@pytest.mark.parametrize("lines", [pytest.param(["Cider press", "Nine barrels"], marks=pytest.mark.gate), None])
def test_the_page_of_an_image_file_begins_with_the_whole_picture(tmp_path: Path, lines: list[str] | None) -> None:
    """Its text is in elements of their own, which alone make groups: no quote and no group is as large as the page."""
    from indexing.parse.document import open_pages

    image = documents.picture(lines) if lines else Image.linear_gradient("L")
    image.save(tmp_path / "cider.png")
    (page,) = open_pages(tmp_path / "cider.png", IndexingSettings())
    whole, *read = parse_page(page, "d", IndexingSettings(), "cider").elements
    assert (whole.id, whole.kind, whole.text, whole.caption) == ("d-1-image", "picture", "", "cider")
    assert whole.bbox.as_tuple() == (0, 0, 1, 1)
    assert whole.whole_image
    (page,) = open_pages(tmp_path / "cider.png", IndexingSettings())
    plain = parse_page(page, "d", IndexingSettings()).elements
    assert [e.id for e in read] == [e.id for e in plain if e.text]
    assert not any(e.whole_image or whole.id in e.parts for e in (*read, *plain))
    assert bool(read) is bool(lines)
