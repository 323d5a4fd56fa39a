"""What an image file is called, by its name and by the description in it; both are written by anybody."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from indexing.parse.scan import image_caption
from indexing.parse.scan.picture_files import NAME_CHARS

DESCRIBED = "Sales by region, 2023"


@pytest.mark.parametrize(
    ("name", "caption"),
    [
        ("quarterly-sales_chart.png", "quarterly sales chart"),
        ("Möwe  (2).JPEG", "Möwe 2"),
        ("IMG_2034.tif", "IMG 2034"),
        ("<script>alert(1)<\u202e/x.webp", "x"),
        ("a\x07b\u200bc.png", "a b c"),
        ("---.png", ""),
        ("mill " * 4000 + ".png", ("mill " * 100)[:NAME_CHARS].strip()),
        ("report.pdf", None),
        ("png", None),
    ],
)
def test_the_name_is_its_words(name: str, caption: str | None) -> None:
    assert image_caption(Path(name)) == caption


@pytest.mark.parametrize(
    ("name", "keep", "caption"),
    [
        *((name, None, f"a. {DESCRIBED}") for name in ("a.png", "a.jpg", "a.tiff", "a.webp")),
        *(("a.jpg", keep, "a") for keep in (0, 9, 40, 60)),
    ],
)
def test_the_description_in_a_file_that_can_be_read_follows_the_name(
    tmp_path: Path, name: str, keep: int | None, caption: str
) -> None:
    exif = Image.Exif()
    exif[0x010E] = DESCRIBED
    Image.new("RGB", (20, 10)).save(tmp_path / name, exif=exif)
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:keep])
    assert image_caption(tmp_path / name) == caption
