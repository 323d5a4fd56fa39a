"""What an attached file says; and whatever is wrong with it is one line that names it, in bounded time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from indexing import FileError, IndexingSettings, read_attachment
from indexing.errors import DamagedFile, EmptyFile, FileMissing, NotReadable, PageTimeout, TooLarge, UnsupportedFile
from indexing.workers import Workers
from tests.support import documents

pytestmark = pytest.mark.cold_workers

Make = Callable[[Path], object]


def label(path: Path) -> Path:
    documents.picture(["Sallow Bay cider", "Nine barrels"]).save(path)
    return path


BAD: dict[str, tuple[Make, type[FileError], str]] = {
    "missing.png": (lambda _: None, FileMissing, "no such file: check the spelling"),
    "empty.png": (lambda p: p.write_bytes(b""), EmptyFile, "0 bytes"),
    "text.png": (lambda p: p.write_text("Sallow Bay cider"), UnsupportedFile, "does not match its extension .png"),
    "folder.png": (lambda p: p.mkdir(), NotReadable, "not a regular file"),
    "cut.png": (lambda p: p.write_bytes(label(p).read_bytes()[:2000]), DamagedFile, "get it again"),
    "bomb.png": (documents.pixel_bomb, TooLarge, "60000 x 60000 pixels, the limit is 120,000,000"),
}
OPENED = ("cut.png", "bomb.png")
"""Those that only a process finds bad; the others are refused by name and first bytes, before one is started."""


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow if n in OPENED else ()) for n in BAD])
def test_a_bad_file_is_one_line_that_names_it_and_not_its_folder(tmp_path: Path, name: str) -> None:
    make, kind, message = BAD[name]
    path = tmp_path / name
    make(path)
    before = set(psutil.Process().children(recursive=True))
    with pytest.raises(kind, match=message) as raised:
        read_attachment(path, most=600)
    assert name in OPENED or set(psutil.Process().children(recursive=True)) <= before
    assert name in str(raised.value)
    assert "\n" not in str(raised.value)
    assert str(path.parent) not in str(raised.value) or kind is FileMissing


@pytest.mark.slow
def test_a_page_that_never_ends_is_given_up_with_its_process(tmp_path: Path) -> None:
    before = set(psutil.Process().children(recursive=True))
    with pytest.raises(PageTimeout, match=r"endless\.pdf: page 1 used more than 3 s of processor time"):
        read_attachment(documents.endless(tmp_path / "endless.pdf"), IndexingSettings(page_seconds=3), most=600)
    assert not {p for p in psutil.Process().children(recursive=True) if p.is_running()} - before


@pytest.mark.slow
def test_the_first_pages_are_read_by_their_text_and_fewer_by_ocr(tmp_path: Path) -> None:
    pages = [[f"Chapter {n} of the almanac tells of the tides."] for n in range(1, 6)]
    almanac = documents.pdf(tmp_path / "almanac.pdf", *pages)
    assert read_attachment(almanac, most=600)[0].splitlines() == [line for (line,) in pages[:4]]
    assert read_attachment(almanac, most=60)[0].splitlines() == [line for (line,) in pages[:2]]
    pages = [[f"Chapter {n} of the almanac"] for n in range(1, 4)]
    text, _ = read_attachment(documents.scanned(tmp_path / "scan.pdf", *pages), most=600)
    assert [line for (line,) in pages if line in text] == [line for (line,) in pages[:2]]


@pytest.mark.slow
def test_processes_that_are_there_read_it(tmp_path: Path) -> None:
    """Starting a process takes longer than reading; one file after another is read by the same."""
    with Workers(1, IndexingSettings()) as workers:
        first, _ = read_attachment(label(tmp_path / "label.png"), most=600, workers=workers)
        started = set(psutil.Process().children(recursive=True))
        second, picture = read_attachment(label(tmp_path / "label.png"), most=600, width=300, workers=workers)
        assert set(psutil.Process().children(recursive=True)) == started
    assert first == second != ""
    assert picture is not None


@pytest.mark.slow
def test_what_is_converted_first_leaves_nothing_with_them(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("The mill grinds rye.")
    with Workers(1, IndexingSettings(), tmp_path / "work") as workers:
        assert read_attachment(tmp_path / "notes.txt", most=600, workers=workers)[0] == "The mill grinds rye."
        assert not (tmp_path / "work").exists()


@pytest.mark.slow
def test_an_image_is_read_and_drawn_where_that_is_wanted(tmp_path: Path) -> None:
    text, picture = read_attachment(str(label(tmp_path / "label.png")), IndexingSettings(), most=600)
    assert picture is None
    assert "Sallow Bay cider Nine barrels" in " ".join(text.split())
    text, picture = read_attachment(label(tmp_path / "label.png"), width=300)
    assert text == ""
    assert picture is not None
    assert (picture.mode, picture.size) == ("RGB", (300, 200))
