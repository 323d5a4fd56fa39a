"""Words are held against what the page shows."""

from pathlib import Path

import pymupdf
import pytest

from indexing.parse import mismatches, parse_page, seen_regions
from indexing.parse.print_verification import seen
from indexing.settings import IndexingSettings
from indexing.types import BBox, LayerWord, Mismatch, ParsedPage, Region, layer_lines
from tests.support import disguises, documents
from tests.support.disguises import AROUND, DISGUISES, SHOWN, Disguise, disguised

LAID_BARE = {"actual_text", "actual_text_of_nothing"}
"""The ways that indexing undoes: the text is then what is shown."""


@pytest.mark.parametrize("way", DISGUISES, ids=lambda way: way.__name__)
def test_no_way_leaves_words_that_the_page_does_not_show(way: Disguise, tmp_path: Path) -> None:
    with pymupdf.open(disguised(tmp_path / "d.pdf", way)) as document:
        elements = parse_page(document[0], "d", IndexingSettings(visual="none", ocr_pixels=1536)).elements
        text = " ".join(e.text for e in elements)
        lines = layer_lines(elements, [e.bbox for e in elements])
        found = mismatches(document[0], [line for line in lines if AROUND[1] not in " ".join(w.text for w in line)])
    hidden = not {"4", "must", "does run"}.intersection(part for part in ("4", "must", "does run") if part in text)
    assert hidden or found
    if way.__name__ in LAID_BARE:
        assert (SHOWN in text, found) == (True, ())
    assert AROUND[1] in text


def test_honest_words_agree_in_any_font_size_colour_and_direction() -> None:
    document = pymupdf.open()
    page = document.new_page(width=420, height=595)
    for n, (font, size, colour) in enumerate(
        [("helv", 11, 0), ("tiit", 8, 0.3), ("cour", 9, 0), ("tibo", 24, 0.6), ("helv", 6, 0), ("heit", 14, 0.75)]
    ):
        page.insert_text((30, 50 + 40 * n), SHOWN[:30] + " 1,236.50", fontname=font, fontsize=size, color=(colour,) * 3)
    page.insert_text((390, 560), "It runs up the page in 2019.", fontsize=10, rotate=90)
    page.draw_rect((30, 300, 400, 330), color=None, fill=(0.1, 0.1, 0.3))
    page.insert_text((40, 320), "White on blue, 47% of 8,113 people.", fontsize=10, color=(1, 1, 1))
    for turn in (0, 90, 180):
        page.set_rotation(turn)
        opened = pymupdf.open("pdf", document.tobytes())
        elements = parse_page(opened[0], "d", IndexingSettings(visual="none", ocr="never")).elements
        assert sum(len(e.words) for e in elements if not e.parts) > 40
        if turn != 180:  # upside down, OCR reads other words
            assert mismatches(opened[0], layer_lines(elements, [e.bbox for e in elements])) == ()


def drawn(text: str) -> pymupdf.Page:
    page = pymupdf.open().new_page(width=420, height=100)
    page.insert_text((40, 50), text, fontsize=12)
    return documents.reopened(page)


@pytest.mark.parametrize(
    ("shown", "said", "found"),
    [
        ("It costs 9 crowns.", "It costs 4 crowns.", (Mismatch("4", "9"),)),
        ("It costs 1.5 crowns.", "It costs 15 crowns.", (Mismatch("15", "1.5"),)),
        ("Sales will decrease.", "Sales will increase.", (Mismatch("increase.", "decrease"),)),
        ("It does not run.", "It does run.", (Mismatch("", "not", agreed=False),)),
        ("9", "4", (Mismatch("4", "9"),)),
        ("It costs 4 crowns.", "It costs 4 crowns.", ()),
        ("\u03b1 = 4, \u00a7 7 (see Se\u00f1or Bj\u00f6rk)", "\u03b1 = 4, \u00a7 7 (see Se\u00f1or Bj\u00f6rk)", ()),
    ],
)
def test_what_differs_is_named(shown: str, said: str, found: tuple[Mismatch, ...]) -> None:
    page = drawn(shown)
    x0, y0, x1, y1 = page.get_text("blocks")[0][:4]
    step = (x1 - x0) / len(said)
    line, at = [], 0
    for word in said.split():
        start = said.index(word, at)
        at = start + len(word)
        box = BBox.from_page(x0 + step * start, y0, x0 + step * at, y1, page.rect.width, page.rect.height)
        assert box is not None
        line.append(LayerWord(word, box))
    assert mismatches(page, [line]) == found


@pytest.mark.parametrize(("said", "lies"), [("The ferry sails at nine.", []), ("The ferry sails at noon.", ["noon."])])
def test_the_low_strips_of_a_poor_ocr_layer_are_compared_with_the_print_beside(said: str, lies: list[str]) -> None:
    page = pymupdf.open().new_page(width=420, height=200)
    page.insert_text((40, 60), "The ferry sails at nine.", fontsize=11)
    x, line = 40.0, []
    for word in said.split():
        start = pymupdf.Point(x, 60)
        page.insert_text(start, word, fontsize=4, render_mode=3, morph=(start, pymupdf.Matrix(2.75, 0, 0, 1, 0, 0)))
        width = pymupdf.get_text_length(word, fontsize=11)
        line.append(LayerWord(word, BBox(x / 420, 58 / 200, (x + width) / 420, 64 / 200)))
        x += width + pymupdf.get_text_length(" ", fontsize=11)
    assert [m.text for m in mismatches(page, [line])] == lies


@pytest.mark.parametrize("codes", [(28, 29), (12, 13), (28, 31)], ids=["T1", "OT1", "fl for ffl"])
def test_ligatures_of_bitmap_fonts_are_read_where_they_look_as_an_encoding_of_tex_says(codes: tuple[int, int]) -> None:
    page = pymupdf.open().new_page(width=420, height=200)
    page.insert_text((40, 160), AROUND[0], fontsize=11)
    shown, numbers = "The \ufb01rst \ufb02at is de\ufb01ned.", dict(zip("\ufb01\ufb02", codes, strict=True))
    glyphs = {sign: numbers.get(sign, ord(sign)) for sign in shown}
    said = "".join(f"{glyphs[sign]:02X}" for sign in shown)
    disguises.say_in_type3(page, (40, 80), said, {code: (f"a{code}", sign) for sign, code in glyphs.items()})
    elements = parse_page(documents.reopened(page), "d", IndexingSettings(visual="none", ocr="never")).elements
    found = mismatches(documents.reopened(page), layer_lines(elements, [e.bbox for e in elements]))
    assert ("The first flat is defined." in elements[0].text, not found) == (codes != (28, 31),) * 2


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
