"""Pictures on a page, faint print, and the names of picture files."""

from pathlib import Path

import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray
from PIL import Image

from indexing.parse import parse_page, read_page
from indexing.parse.scan import image_caption, merged_figures, visual_regions
from indexing.parse.scan.ocr import distance, strengthen_contrast
from indexing.parse.scan.pictures import NAME_CHARS
from indexing.settings import IndexingSettings
from tests.support import documents

LEAST = 0.012
LEFT, RIGHT, TOP, BOTTOM = 68.0, 544.0, 128.0, 220.0
CHART, BARS = (100.0, 100.0, 500.0, 400.0), (150.0, 120.0, 450.0, 380.0)
HALVES = [(100.0, 100.0, 300.0, 400.0), (300.0, 100.0, 500.0, 400.0)]
PIES = [(110.0, 150.0, 210.0, 250.0), (300.0, 150.0, 400.0, 250.0)]
TITLE = (120.0, 200.0, 480.0, 300.0)
Boxes = list[tuple[float, float, float, float]]


@pytest.mark.parametrize(
    ("models", "rasters", "drawn", "text", "merged"),
    [
        ([BARS], [], [CHART], [], ([CHART], [])),
        ([BARS, CHART, BARS[:2] * 2], [], [], [], ([None, CHART, None], [])),
        ([], HALVES, [CHART], [], ([], [CHART])),
        (PIES, [], [CHART], [], (PIES, [])),
        ([], [CHART], [], [TITLE], ([], [])),
        ([], [], [CHART], [TITLE], ([], [CHART])),
    ],
    ids=["a chart with its legend", "two of one, one without area", "pieces of an image", "a panel of several",
         "behind text", "around a title"],
)  # fmt: skip
def test_figures_are_merged(
    models: Boxes, rasters: Boxes, drawn: Boxes, text: Boxes, merged: tuple[list[object], Boxes]
) -> None:
    assert merged_figures(models, rasters, drawn, text) == merged


def test_bare_signs_are_no_elements_and_words_printed_twice_are_read_once() -> None:
    page = pymupdf.open().new_page(width=600, height=800)
    page.insert_text((60, 80), "Appendix D", fontname="hebo", fontsize=20)
    page.insert_text((60.4, 80), "Appendix D", fontname="hebo", fontsize=20)
    page.insert_textbox((60, 120, 540, 200), "The ferry leaves the quay at six and comes back at nine.", fontsize=11)
    page.insert_text((60, 300), "____________________", fontsize=11)
    page.insert_textbox((60, 340, 540, 400), "Its crew of four counts the passengers and the crates.", fontsize=11)
    settings = IndexingSettings(visual="none", ocr="never")
    texts = [e.text for e in parse_page(documents.reopened(page), "d", settings).elements if e.kind != "group"]
    assert "Appendix D" in texts
    assert not any("____" in text for text in texts)


@pytest.fixture
def page() -> pymupdf.Page:
    """A page with a frame that holds lines of code."""
    made = pymupdf.open().new_page(width=612, height=792)
    made.draw_rect(pymupdf.Rect(LEFT, TOP, RIGHT, BOTTOM), width=0.5)
    for n in range(6):
        made.insert_text((72, TOP + 14 + 13 * n), "if test -e /etc/mill; then grind rye", fontname="cour", fontsize=9)
    return made


def regions(page: pymupdf.Page, *, frames: bool) -> Boxes:
    return visual_regions(page, [word[:4] for word in page.get_text("words")], LEAST, frames=frames)


def test_a_frame_around_a_drawing_is_a_picture_with_what_stands_around_it(page: pymupdf.Page) -> None:
    page.draw_rect(pymupdf.Rect(330, TOP + 10, 530, BOTTOM - 10), fill=(0.3, 0.5, 0.3))
    for n in range(9):
        page.draw_line((335 + 20 * n, TOP + 12), (345 + 20 * n, BOTTOM - 12), width=4)
    page.draw_rect(pymupdf.Rect(220, 106, 400, TOP), fill=(0.7, 0, 0.4), color=None)
    page.insert_text((240, 120), "Mills of the bay", fontsize=13, color=(1, 1, 1))
    ((_, y0, _, _),) = regions(page, frames=False)
    assert y0 == pytest.approx(106, abs=9)


WHITE = (255, 255, 255)
LINES = [
    "The mill was built in 1887 by Anna Holm.",
    "It sold 1,200 barrels of cider in May.",
    "The bridge stands beside it.",
]
SHEET = np.asarray(documents.picture(LINES * 3, (900, 800)).convert("RGB"))
LIGHT = np.linspace(1.0, 0.6, SHEET.shape[1])[None, :, None]
"""The light on the sheet, which falls off to the right."""
FAINT = np.asarray((220 - 0.2 * (255.0 - SHEET)) * LIGHT, np.uint8)
"""The sheet with a part of its contrast, on grey paper in uneven light."""


def apart(*colours: tuple[int, int, int]) -> float:
    return distance(np.array([colours], np.uint8))


@pytest.mark.parametrize(
    "image",
    [
        SHEET,
        np.asarray(SHEET * LIGHT, np.uint8),
        np.full((900, 700, 3), 255, np.uint8),
        np.zeros((400, 400, 3), np.uint8),
        SHEET[:40],
        np.asarray(np.linspace(150, 220, 900)[:, None, None] * np.ones((1, 700, 3)), np.uint8),
    ],
    ids=["good print", "in uneven light", "blank paper", "black", "a strip", "a pale picture"],
)
def test_what_is_no_faint_print_is_left_as_it_is(image: NDArray[np.uint8]) -> None:
    assert strengthen_contrast(image) is image


@pytest.mark.slow
@pytest.mark.gate
def test_faint_print_is_read() -> None:
    height, width = FAINT.shape[:2]
    page = pymupdf.open().new_page(width=width / 2, height=height / 2)
    page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csRGB, width, height, FAINT.tobytes(), False))
    assert {word.text for word in read_page(page, 900)} == set(" ".join(LINES).split())


DESCRIBED = "Sales by region, 2023"


@pytest.mark.parametrize(
    ("name", "caption"),
    [
        ("quarterly-sales_chart.png", "quarterly sales chart"), ("Möwe  (2).JPEG", "Möwe 2"),
        ("IMG_2034.tif", "IMG 2034"), ("<script>alert(1)<\u202e/x.webp", "x"), ("a\x07b\u200bc.png", "a b c"),
        ("---.png", ""), ("mill " * 4000 + ".png", ("mill " * 100)[:NAME_CHARS].strip()), ("report.pdf", None),
        ("png", None),
    ],
)  # fmt: skip
def test_the_name_is_its_words(name: str, caption: str | None) -> None:
    assert image_caption(Path(name)) == caption


@pytest.mark.parametrize(
    ("name", "keep", "caption"),
    [
        *((name, None, f"a. {DESCRIBED}") for name in ("a.png", "a.jpg", "a.tiff", "a.webp")),
        *(("a.jpg", keep, "a") for keep in (0, 9, 40, 60)),
    ],
)
def test_a_readable_description_follows_the_name(tmp_path: Path, name: str, keep: int | None, caption: str) -> None:
    exif = Image.Exif()
    exif[0x010E] = DESCRIBED
    Image.new("RGB", (20, 10)).save(tmp_path / name, exif=exif)
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:keep])
    assert image_caption(tmp_path / name) == caption
