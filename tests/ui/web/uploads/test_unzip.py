"""Archives: what is taken out of them, what is left out, and what is refused before it does harm."""

import resource
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from ui.errors import BadArchive, NotKept, TooMuch
from ui.web.uploads.unzip import MB, Limits, unpack

LIMITS = Limits(files=10, entries=40, file_mb=2, total_bytes=3 * MB, ratio=100)
PDF = b"%PDF-1.7 a page"


def archive(folder: Path, entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    path = folder / "papers.zip"
    with zipfile.ZipFile(path, "w", method) as made:
        for name, data in entries.items():
            made.writestr(name, data)
    return path


def names(folder: Path, entries: dict[str, bytes]) -> tuple[list[str], dict[str, str]]:
    found = unpack(archive(folder, entries), folder / "out", LIMITS)
    return [f.name for f in found.files], dict(found.left_out)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../up.pdf", "leads out"), ("a/../../up.pdf", "leads out"), ("..\\up.pdf", "leads out"),
        ("/etc/up.pdf", "absolute"), ("C:\\up.pdf", "absolute"), ("C:up.pdf", "absolute"),
    ],
)  # fmt: skip
def test_a_path_that_leads_elsewhere_is_left_out(tmp_path: Path, name: str, reason: str) -> None:
    taken, left_out = names(tmp_path, {name: PDF, "ok.pdf": PDF})
    assert taken == ["ok.pdf"]
    assert any(reason in said for said in left_out.values())
    assert sorted(p.name for p in tmp_path.rglob("*.pdf")) == ["ok.pdf"]


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_devices_are_left_out(tmp_path: Path, kind: int) -> None:
    entry = zipfile.ZipInfo("secret.pdf")
    entry.create_system, entry.external_attr = 3, (kind | 0o777) << 16
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr(entry, "/etc/passwd")
    found = unpack(path, tmp_path / "out", LIMITS)
    assert found.files == ()
    assert "not a file" in found.left_out[0][1]


def raw(path: Path, name: bytes, flags: int) -> None:
    """Give the only entry of an archive a name of the same length, and flags, as its writer would not."""
    data = path.read_bytes()
    with zipfile.ZipFile(path) as opened:
        old = opened.infolist()[0].filename.encode()
    local, central = data.index(b"PK\x03\x04"), data.index(b"PK\x01\x02")
    changed = bytearray(data.replace(old, name))
    changed[local + 6 : local + 8] = changed[central + 8 : central + 10] = struct.pack("<H", flags)
    path.write_bytes(changed)


def test_a_name_that_claims_to_be_utf8_and_is_not_refuses_the_archive(tmp_path: Path) -> None:
    path = archive(tmp_path, {"Jahr__.pdf": PDF})
    raw(path, b"Jahr\xff\xff.pdf", 0x800)
    with pytest.raises(BadArchive, match="make it again"):
        unpack(path, tmp_path / "out", LIMITS)


def test_an_encrypted_entry_is_left_out(tmp_path: Path) -> None:
    path = archive(tmp_path, {"locked.pdf": PDF})
    raw(path, b"locked.pdf", 0x1)
    assert "encrypted" in dict(unpack(path, tmp_path / "out", LIMITS).left_out)["locked.pdf"]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_unpack_in_bursts_are_left_out(tmp_path: Path, method: int) -> None:
    path = archive(tmp_path, {"burst.pdf": bytes(9 * MB)}, method)
    found = unpack(path, tmp_path / "out", LIMITS)
    assert "unusual" in dict(found.left_out)["burst.pdf"]


@pytest.mark.parametrize(
    ("entries", "limits", "named"),
    [
        ({f"{n}.pdf": PDF for n in range(41)}, LIMITS, "max_zip_entries"),
        ({f"{n}.pdf": PDF for n in range(11)}, LIMITS, "max_files"),
        ({"big.pdf": bytes(3 * MB)}, Limits(10, 40, 2, 9 * MB, 100_000), "max_file_mb"),
        ({f"{n}.pdf": bytes(2 * MB) for n in range(2)}, Limits(10, 40, 2, 3 * MB, 100_000), "max_waiting_mb"),
        ({"bomb.pdf": bytes(2 * MB - 1)}, LIMITS, "max_zip_ratio"),
    ],
)
def test_limits_leave_nothing(tmp_path: Path, entries: dict[str, bytes], limits: Limits, named: str) -> None:
    with pytest.raises(TooMuch, match=named):
        unpack(archive(tmp_path, entries), tmp_path / "out", limits)
    assert not (tmp_path / "out").exists()


def test_a_bomb_that_lies_about_its_size_is_noticed_while_it_is_read(tmp_path: Path) -> None:
    path = archive(tmp_path, {"bomb.pdf": bytes(64 * MB)})
    data = bytearray(path.read_bytes())
    local, central = data.index(b"PK\x03\x04"), data.index(b"PK\x01\x02")
    for at in (local + 22, central + 24):
        data[at : at + 4] = struct.pack("<L", 100)
    path.write_bytes(data)
    with pytest.raises((BadArchive, TooMuch)):
        unpack(path, tmp_path / "out", LIMITS)
    assert not (tmp_path / "out").exists()


def test_a_disk_that_takes_no_more_is_no_damaged_archive(tmp_path: Path) -> None:
    path = archive(tmp_path, {"a.pdf": bytes(2 * MB)})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (MB, before[1]))
    try:
        with pytest.raises(NotKept, match="make room"):
            unpack(path, tmp_path / "out", Limits(10, 40, 2, 9 * MB, 100_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not (tmp_path / "out").exists()


def test_a_directory_far_too_long_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = archive(tmp_path, {"a.pdf": PDF})
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x05\x06")
    data[at + 12 : at + 16] = struct.pack("<L", 500_000_000)
    path.write_bytes(data)
    with pytest.raises(TooMuch, match="max_zip_entries"):
        unpack(path, tmp_path / "out", LIMITS)


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04", b"%PDF-1.7", b"PK\x05\x06" + bytes(18), b"PK\x03\x04" + bytes(400)]
)
def test_what_is_no_archive_is_an_error_or_empty(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    if data.startswith(b"PK\x05"):
        assert unpack(path, tmp_path / "out", LIMITS).files == ()
        return
    with pytest.raises(BadArchive):
        unpack(path, tmp_path / "out", LIMITS)


def test_an_entry_without_a_name_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as made:
        entry = zipfile.ZipInfo("x")
        entry.filename = ""
        made.writestr(entry, PDF)
        made.writestr("b.pdf", PDF)
    found = unpack(path, tmp_path / "out", LIMITS)
    assert [file.name for file in found.files] == ["b.pdf"]
    assert [name for name, _ in found.left_out] == [""]
