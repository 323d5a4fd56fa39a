"""Uploads: taken over once, by whoever just sent them, within the limits, and gone when they were read."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from ui.settings import UiSettings
from ui.web.uploads.files import AcceptedFile, UploadFolder, UploadQuota
from ui.web.uploads.unzip import MB

PDF = b"%PDF-1.7 a page"


@pytest.fixture
def uploads(tmp_path: Path) -> UploadFolder:
    for folder in ("arrived", "waiting"):
        (tmp_path / folder).mkdir()
    return UploadFolder(tmp_path / "arrived", tmp_path / "waiting", UiSettings(max_file_mb=1, max_zip_entries=5))


def arrive(tmp_path: Path, name: str, data: bytes = PDF) -> str:
    """Store a file as the server does."""
    folder = tmp_path / "arrived" / hashlib.sha256(data).hexdigest()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    return str(folder / name)


def room(files: int = 10, size: int = 5 * MB) -> UploadQuota:
    return UploadQuota(files, size)


def one(uploads: UploadFolder, path: str, name: str = "", space: UploadQuota | None = None) -> AcceptedFile:
    (taken,) = uploads.take([(path, name)], space or room())
    return taken


def test_an_upload_is_moved_under_its_own_name(tmp_path: Path, uploads: UploadFolder) -> None:
    taken = one(uploads, arrive(tmp_path, "Jahr 1.pdf"), "Jahr (1).pdf")
    assert taken.name == "Jahr (1).pdf"
    assert taken.path is not None
    assert taken.path.read_bytes() == PDF
    assert list((tmp_path / "arrived").rglob("*")) == []
    uploads.release(taken.path)
    assert list((tmp_path / "waiting").iterdir()) == []


@pytest.mark.parametrize(
    "path",
    ["{0}/arrived/a.pdf", "{0}/secret.pdf", "/etc/passwd", "{0}/arrived/../secret.pdf", "http://x/a.pdf", "", "\0"],
)
def test_a_path_that_is_no_upload_is_not_taken(tmp_path: Path, uploads: UploadFolder, path: str) -> None:
    (tmp_path / "secret.pdf").write_bytes(PDF)
    (tmp_path / "arrived" / "a.pdf").write_bytes(PDF)
    taken = one(uploads, path.format(tmp_path))
    assert taken.path is None
    assert "not a file that was just uploaded" in taken.note
    assert (tmp_path / "secret.pdf").exists()


def test_a_link_among_the_uploads_is_not_followed(tmp_path: Path, uploads: UploadFolder) -> None:
    (tmp_path / "secret.pdf").write_bytes(PDF)
    folder = tmp_path / "arrived" / ("0" * 64)
    folder.mkdir()
    (folder / "a.pdf").symlink_to(tmp_path / "secret.pdf")
    assert one(uploads, str(folder / "a.pdf")).path is None
    assert (tmp_path / "secret.pdf").exists()


def test_limits_are_named_and_what_is_over_them_deleted(tmp_path: Path, uploads: UploadFolder) -> None:
    large = one(uploads, arrive(tmp_path, "large.pdf", bytes(MB + 1)))
    assert "max_file_mb" in large.note
    many = one(uploads, arrive(tmp_path, "many.pdf"), space=room(files=0))
    assert "max_files" in many.note
    full = one(uploads, arrive(tmp_path, "full.pdf"), space=room(size=3))
    assert "max_waiting_mb" in full.note
    assert [t.path for t in (large, many, full)] == [None, None, None]
    assert list((tmp_path / "arrived").rglob("*.pdf")) == []


def zipped(entries: dict[str, bytes], path: Path) -> bytes:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in entries.items():
            made.writestr(name, data)
    return path.read_bytes()


def test_an_archive_becomes_its_documents(tmp_path: Path, uploads: UploadFolder) -> None:
    data = zipped({"a.pdf": PDF, "b.pdf": PDF + b"2", "c.exe": b"MZ"}, tmp_path / "x.zip")
    space = room()
    archive, *files = uploads.take([(arrive(tmp_path, "papers.zip", data), "papers.zip")], space)
    assert archive.path is None
    assert archive.note.startswith("unpacked: 2 documents. Left out: c.exe")
    assert [f.name for f in files] == ["a.pdf", "b.pdf"]
    assert (space.files, space.bytes) == (8, 5 * MB - 2 * len(PDF) - 1)
    for file in files:
        assert file.path is not None
        uploads.release(file.path)
        assert not file.path.exists()


@pytest.mark.parametrize("suffix", [".epub", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp"])
def test_a_document_that_is_a_zip_file_is_no_archive(tmp_path: Path, uploads: UploadFolder, suffix: str) -> None:
    data = zipped({"mimetype": b"application/epub+zip"}, tmp_path / "x.zip")
    taken = one(uploads, arrive(tmp_path, f"book{suffix}", data))
    assert taken.path is not None
