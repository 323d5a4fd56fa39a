"""Every way in which a file cannot be read: one named error that names the file and what to do next."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from indexing import errors
from indexing.ingest.files import find_files
from indexing.parse.document import identify, open_pages
from indexing.settings import IndexingSettings
from tests.support import documents
from vouch import hooks

SETTINGS = IndexingSettings(max_pages=5, max_unpacked_mb=8, max_file_mb=1)
GENEROUS = IndexingSettings()


def written(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


def saved(form: str, keep: float = 1.0, frames: int = 1) -> Callable[[Path], object]:
    """A picture of some frames in one of Pillow's formats, the first `keep` of its bytes."""

    def make(path: Path) -> None:
        image = documents.picture(["cider"], (300, 200)).resize((300, 200) if frames == 1 else (150, 100))
        image.save(path, form, **({"save_all": True, "append_images": [image] * (frames - 1)} if frames > 1 else {}))
        data = path.read_bytes()
        path.write_bytes(data[: int(len(data) * keep)])

    return make


BAD = {
    "nothing.pdf": (lambda _: None, errors.FileMissing, "check the spelling"),
    "empty.pdf": (written(b""), errors.EmptyFile, "get it again"),
    "letter.pdf": (written(b"Dear Sir or Madam, this is no PDF."), errors.DamagedFile, "get it again"),
    "picture.pdf": (saved("PNG"), errors.UnsupportedFile, "its content is png: rename it"),
    "page.png": (written(b"<!doctype html><p>Hello"), errors.UnsupportedFile, "rename it"),
    "photo.png": (saved("JPEG"), errors.UnsupportedFile, "its content is jpeg: rename it"),
    "notes.pages": (written(b"PK\x03\x04 and so on"), errors.UnsupportedFile, "Vouch reads"),
    "README": (written(b"%PDF-1.7"), errors.UnsupportedFile, "files without extension"),
    "stump.pdf": (lambda path: documents.truncated(path, 0.1), errors.DamagedFile, "get it again"),
    "head.pdf": (written(b"%PDF-1.7\n"), errors.DamagedFile, "get it again"),
    "stump.png": (saved("PNG", 0.5), errors.DamagedFile, "get it again"),
    "stump.jpg": (saved("JPEG", 0.5), errors.DamagedFile, "get it again"),
    "stump.webp": (saved("WEBP", 0.5), errors.DamagedFile, "get it again"),
    "stump.tif": (saved("TIFF", 0.5), errors.DamagedFile, "get it again"),
    "three.tif": (saved("TIFF", 0.99, 3), errors.DamagedFile, "get it again"),
    "half.tif": (saved("TIFF", 0.5, 3), errors.DamagedFile, "get it again"),
    "stump.epub": (written(b"PK\x03\x04 half a book"), errors.DamagedFile, "get it again"),
    "vault.pdf": (documents.encrypted, errors.EncryptedFile, "--password"),
    "none.pdf": (documents.without_pages, errors.NoPages, "get it again"),
    "six.pdf": (lambda path: documents.truncated(path, 1), errors.TooLarge, "max_pages"),
    "six.tiff": (saved("TIFF", frames=6), errors.TooLarge, "max_pages"),
    "bomb.png": (documents.pixel_bomb, errors.TooLarge, "max_pixels"),
    "bomb.epub": (lambda path: documents.epub(path, ("A", "b"), padding=9 << 20), errors.TooLarge, "max_unpacked_mb"),
    "large.pdf": (lambda path: path.write_bytes(b"%PDF-1.7" + bytes(2 << 20)), errors.TooLarge, "max_file_mb"),
    "zero.pdf": (lambda path: path.symlink_to("/dev/zero"), errors.NotReadable, "name a file or a folder"),
    "pipe.pdf": (os.mkfifo, errors.NotReadable, "name a file or a folder"),
}


@pytest.mark.filterwarnings("ignore:Corrupt EXIF data:UserWarning")  # Pillow, about the damaged TIFF
@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_an_error_that_names_it_and_the_next_step(tmp_path: Path, name: str) -> None:
    make, error, advice = BAD[name]
    make(tmp_path / name)
    with pytest.raises(error) as caught:
        open_pages(tmp_path / name, SETTINGS)
    assert type(caught.value) is error
    assert name in str(caught.value)
    assert advice in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_format_without_its_plugin_names_the_next_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes.md").write_text("# Notes")
    monkeypatch.setenv(hooks.VARIABLE, "zotero")
    monkeypatch.setattr(hooks, "load_installed", hooks.load_installed.__wrapped__)
    with pytest.raises(
        errors.UnsupportedFile, match=r"not \.md: save it as a PDF first; VOUCH_PLUGINS leaves out .*formats"
    ):
        identify(tmp_path / "notes.md", IndexingSettings())


@pytest.fixture
def nobody() -> Iterator[Path]:
    """A folder that a process without privileges may enter; the test runs as such a process."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        if os.getuid() == 0:
            os.seteuid(0)


def drop_privileges() -> None:
    if os.getuid() == 0:
        os.seteuid(65534)


def test_no_permission_to_read_a_file(nobody: Path) -> None:
    documents.pdf(nobody / "secret.pdf", ["Nobody may read this."]).chmod(0)
    drop_privileges()
    with pytest.raises(errors.NotReadable, match=r"secret\.pdf: no permission to read it: change its permissions"):
        identify(nobody / "secret.pdf", SETTINGS)


def test_the_right_password_opens_and_the_wrong_one_is_told_apart(tmp_path: Path) -> None:
    path = documents.encrypted(tmp_path / "vault.pdf", "open sesame")
    assert "nine barrels" in open_pages(path, SETTINGS, "open sesame")[0].get_text()
    with pytest.raises(errors.EncryptedFile, match="the password is wrong"):
        open_pages(path, SETTINGS, "sesame")


@pytest.mark.parametrize(
    ("name", "frames"), [("a.png", 1), ("a.jpg", 1), ("a.JPEG", 1), ("a.webp", 1), ("a.tiff", 1), ("a.tif", 3)]
)
def test_an_image_becomes_pages_of_its_shape(tmp_path: Path, name: str, frames: int) -> None:
    form = {"jpg": "JPEG", "tif": "TIFF"}.get(name[2:], name[2:].upper())
    saved(form, frames=frames)(tmp_path / name)
    document = open_pages(tmp_path / name, GENEROUS)
    assert document.page_count == frames
    assert document[0].rect.width / document[0].rect.height == pytest.approx(1.5)
    assert not document[0].get_pixmap(dpi=20).is_unicolor


# ---- walking folders -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a\0b.pdf", "x" * 300 + ".pdf", "../nowhere/to/be/found.pdf"])
def test_impossible_names_are_errors(tmp_path: Path, name: str) -> None:
    (found,) = find_files([tmp_path / name], GENEROUS)
    assert isinstance(found.error, errors.FileMissing | errors.NotReadable)
    assert "check the" in str(found.error)


def test_folders_are_walked_in_name_order_without_what_is_hidden_or_foreign(tmp_path: Path) -> None:
    for name in ("b/2.pdf", "b/1.PDF", "a/x.png", ".hidden/y.pdf", ".z.pdf", "notes.xyz", "c.epub"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    found = find_files([tmp_path], GENEROUS)
    assert [f.path.relative_to(tmp_path).as_posix() for f in found] == ["c.epub", "a/x.png", "b/1.PDF", "b/2.pdf"]


def test_a_link_out_of_the_folder_is_not_followed_and_told(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "inside").mkdir()
    documents.pdf(tmp_path / "outside" / "private.pdf", ["Not yours."])
    documents.pdf(tmp_path / "inside" / "own.pdf", ["Yours."])
    (tmp_path / "inside" / "link.pdf").symlink_to(tmp_path / "outside" / "private.pdf")
    (tmp_path / "inside" / "folder").symlink_to(tmp_path / "outside")
    (tmp_path / "inside" / "same.pdf").symlink_to(tmp_path / "inside" / "own.pdf")
    found = {f.path.name: f.error for f in find_files([tmp_path / "inside"], GENEROUS)}
    assert found.keys() == {"own.pdf", "same.pdf", "link.pdf"}
    assert isinstance(found["link.pdf"], errors.NotReadable)
    assert "give its target directly" in str(found["link.pdf"])
    assert found["own.pdf"] is None
    assert found["same.pdf"] is None


def test_more_files_than_the_limit_are_refused_by_its_name(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.pdf").write_bytes(b"x")
    with pytest.raises(errors.TooLarge, match="max_files"):
        find_files([tmp_path], IndexingSettings(max_files=2))
