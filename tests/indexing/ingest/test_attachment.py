"""What an attached file says; and whatever is wrong with it is one line that names it, in bounded time."""

from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from indexing import FileError, read_attachment
from indexing.errors import DamagedFile, EmptyFile, FileMissing, NotReadable, TooLarge, UnsupportedFile
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
