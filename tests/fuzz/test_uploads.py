"""Uploads: whatever they are called and hold, they end up in their folder or are refused; nothing else is touched."""

import io
import shutil
import zipfile
from pathlib import Path

import pytest
from hypothesis import strategies as st

from indexing import FileError, IndexingSettings
from indexing.identifiers import is_collection_name
from indexing.parse.document import identify
from indexing.store import place_of
from tests.fuzz.conftest import Fuzz
from tests.fuzz.hostile import ANY, NAMES, is_a_message
from ui.errors import UploadError
from ui.settings import UiSettings
from ui.web.uploads.files import UploadFolder, UploadQuota
from ui.web.uploads.receive import collection_name
from ui.web.uploads.unzip import MB, file_name

HEADS = (
    b"%PDF-1.7", b"PK\x03\x04", b"\x89PNG\r\n\x1a\n", b"RIFF\0\0\0\0WEBP", b"\xd0\xcf\x11\xe0", b"\x1f\x8b", b"GIF8",
)  # fmt: skip
CONTENTS = st.tuples(st.sampled_from((b"", *HEADS)), st.binary(max_size=200)).map(b"".join)
SUFFIXES = st.sampled_from(("", ".pdf", ".PDF", ".zip", ".docx", ".html", ".md", ".pdf.exe", ".epub"))
LINK = 0o120777 << 16


def packed(entries: list[tuple[str, bytes, bool]], damage: list[tuple[int, int]]) -> bytes:
    """A ZIP file of entries, links among them, some of whose bytes are others."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content, linked in entries:
            entry = zipfile.ZipInfo("x")
            entry.filename = name.encode("utf-8", "replace").decode()
            entry.external_attr = LINK if linked else 0
            archive.writestr(entry, content)
    data = bytearray(made.getvalue())
    for place, byte in damage:
        data[place % len(data)] ^= byte
    return bytes(data)


def test_any_name_becomes_one_that_a_disk_takes(fuzz: Fuzz) -> None:
    def check(said: str) -> None:
        plain = file_name(said)
        assert 0 < len(plain.encode()) <= 255
        assert not set(plain) & set("/\\:\0\n\x1b\u202e")
        assert not plain.startswith((".", " "))
        try:
            name = collection_name(said)
        except UploadError as error:
            is_a_message(error)
            assert not any(c.isascii() and c.isalnum() for c in said)
        else:
            assert is_collection_name(name)
            assert place_of(name, Path("/home")).name == name

    fuzz(check, said=NAMES)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_any_file_is_taken_into_its_folder_or_refused(fuzz: Fuzz, tmp_path: Path) -> None:
    (tmp_path / "secret.pdf").write_bytes(b"%PDF-1.7 of somebody else")

    def check(
        files: list[tuple[str, str, bytes]], entries: list[tuple[str, bytes, bool]], damage: list[tuple[int, int]]
    ) -> None:
        home = tmp_path / "home"
        shutil.rmtree(home, ignore_errors=True)
        for folder in ("arrived", "waiting"):
            (home / folder).mkdir(parents=True)
        uploads = UploadFolder(home / "arrived", home / "waiting", UiSettings(max_file_mb=1, max_zip_entries=6))
        sent = [(name + suffix, content) for name, suffix, content in files]
        sent.append(("all.zip", packed(entries, damage)))
        streams = [(name, io.BytesIO(content)) for name, content in sent]
        taken = uploads.keep(streams, UploadQuota(8, 2 * MB))
        assert len({one.name.casefold() for one in taken if one.path}) == sum(one.path is not None for one in taken)
        for one in taken:
            if one.path is None:
                assert one.note
                continue
            assert one.path.resolve().is_relative_to((home / "waiting").resolve())
            assert not one.path.is_symlink()
            try:
                identify(one.path, IndexingSettings())
            except FileError as error:
                is_a_message(error)
            uploads.release(one.path)
        assert [path for path in (home / "waiting").rglob("*") if path.is_file()] == []
        assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "secret.pdf"]

    entry = st.tuples(NAMES, CONTENTS, st.booleans())
    changed = st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 255)), max_size=4)
    fuzz(check, files=st.lists(st.tuples(NAMES, SUFFIXES, CONTENTS), max_size=3), entries=st.lists(entry, max_size=4), damage=changed)  # fmt: skip  # noqa: E501


def test_no_path_is_taken_for_an_upload(fuzz: Fuzz, tmp_path: Path) -> None:
    secret = tmp_path / "secret.pdf"
    secret.write_bytes(b"%PDF-1.7 of somebody else")
    arrived, waiting = tmp_path / "arrived", tmp_path / "waiting"
    arrived.mkdir()
    waiting.mkdir()
    uploads = UploadFolder(arrived, waiting, UiSettings())

    def check(before: str, path: str, name: str) -> None:
        (taken,) = uploads.take([(f"{before}{path}", name)], UploadQuota(3, MB))
        assert taken.path is None
        assert secret.read_bytes().endswith(b"else")
        assert list(waiting.iterdir()) == []

    before = st.sampled_from(
        ("", f"{tmp_path}/", f"{arrived}/", f"{arrived}/{'0' * 64}/", f"{arrived}/{'0' * 64}/../../")
    )
    fuzz(check, before=before, path=NAMES | ANY | st.just("secret.pdf"), name=NAMES)
