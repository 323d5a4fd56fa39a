"""Files that are no backups, or were made to do harm: refused by name, and nothing is written beside the staging."""

import hashlib
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lancedb
import pytest

from indexing import BackupUnreadable, Collection, list_collections
from plugins.backup.backup import back_up, check_backup, restore
from tests.support import fakes

RECORD = "collections/c/collection.json"
TABLE = "collections/c/db/documents.lance/data/x.lance"
TOLD = b'{"format": 6, "embedder": "minilm", "visual": "none"}'


def contents(*files: tuple[str, bytes], **changed: Any) -> bytes:
    named = [{"path": p, "size": len(b), "sha256": hashlib.sha256(b).hexdigest()} for p, b in files]
    told = {"vouch_backup": 1, "made_at": "2026", "collections": [{"name": "c", "documents": 0, "pages": 0}]}
    return json.dumps(told | {"files": named} | changed).encode()


def archive(path: Path, told: bytes, *members: tuple[tarfile.TarInfo | str, bytes]) -> Path:
    with tarfile.open(path, "w") as out:
        for member, content in (("backup.json", told), *members):
            info = member if isinstance(member, tarfile.TarInfo) else tarfile.TarInfo(member)
            info.size = len(content)
            out.addfile(info, io.BytesIO(content))
    return path


def special(kind: bytes, name: str = RECORD, link: str = "/etc/passwd") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, link
    return member


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "hostile.tar"


def test_the_plain_one_is_taken(file: Path, tmp_path: Path) -> None:
    """As the others are made, but without what is wrong with them: so it is that which they are refused for."""
    archive(file, contents((RECORD, TOLD)), (RECORD, TOLD))
    restore(file, home=tmp_path / "home")
    assert list_collections(tmp_path / "home") == ("c",)


@pytest.mark.parametrize(
    "path",
    ["/etc/cron.d/x", "collections/c/../../x", "collections/c/db/../../../x", "collections/d/db/x", "x", "home/x",
     "home/.bibliographies/../x.sqlite", "home/.bibliographies/a/b.sqlite", "home/page.key",
     "collections/c/writer.lock",
     "collections/c/db//x", "collections/c/db/x\x1b[2J", "collections/c/db/a\\b", "collections/c/db", "",
     "collections/c/db/" + "a/" * 12 + "b", "collections/c/db/" + "a" * 300, f"{RECORD}/x"],
)  # fmt: skip
def test_paths_that_lead_elsewhere(path: str, file: Path, tmp_path: Path) -> None:
    archive(file, contents((RECORD, TOLD), (path, b"x")), (RECORD, TOLD), (tarfile.TarInfo(path or "x"), b"x"))
    refused(file, tmp_path, "is not a valid path in a backup")


@pytest.mark.parametrize("name", ["../c", "/tmp/c", ".hidden", "a/b", ""])
def test_names_that_lead_elsewhere(name: str, file: Path, tmp_path: Path) -> None:
    told = contents((RECORD, TOLD), collections=[{"name": name, "documents": 0, "pages": 0}])
    archive(file, told, (RECORD, TOLD))
    refused(file, tmp_path, "its collections have invalid names")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE])
def test_links_and_devices(kind: bytes, file: Path, tmp_path: Path) -> None:
    archive(file, contents((RECORD, b"")), (special(kind), b""))
    refused(file, tmp_path, "where its table of contents lists")


def sparse(file: Path) -> None:
    """A file of GNU's sparse kind, which may be of any size without a byte in the archive."""
    member = special(tarfile.GNUTYPE_SPARSE)
    archive(file, contents((RECORD, TOLD)), (member, TOLD))


def bomb(file: Path) -> None:
    """A header of pax that asks for 64 MB of memory before the second file."""
    archive(file, contents((RECORD, TOLD)), (special(tarfile.XHDTYPE, "x"), b"9" * (64 << 20)), (RECORD, TOLD))


def first_bomb(file: Path) -> None:
    archive(file, b"", (special(tarfile.XHDTYPE, "x"), b""))
    file.write_bytes(file.read_bytes()[512:])


def another(file: Path) -> None:
    with tarfile.open(file, "w") as out:
        out.addfile(tarfile.TarInfo("photos.json"))


CASES: list[tuple[str, Callable[[Path], object]]] = [
    ("cannot be read as a backup", lambda f: f.write_bytes(b"x" * 4096)),
    ("cannot be read as a backup", lambda f: f.write_bytes(b"")),
    ("not a Vouch backup", another),
    ("cannot be read as a backup|not a Vouch backup", first_bomb),
    ("is not a backup of this version", lambda f: archive(f, b"[" * 100_000)),
    ("is not a backup of this version", lambda f: archive(f, contents((RECORD, TOLD), vouch_backup=2), (RECORD, TOLD))),
    ("is not a backup of this version", lambda f: archive(f, contents((RECORD, TOLD), more=1), (RECORD, TOLD))),
    ("has no collection.json", lambda f: archive(f, contents((TABLE, b"")), (TABLE, b""))),
    ("two files with the same path", lambda f: archive(
        f, contents((RECORD, TOLD), (RECORD, TOLD)), *[(RECORD, TOLD)] * 2)),
    ("where its table of contents lists", lambda f: archive(f, contents((RECORD, TOLD)), (RECORD, TOLD + b" "))),
    ("differs from the file that was backed up", lambda f: archive(
        f, contents((RECORD, TOLD)), (RECORD, TOLD.replace(b"6", b"7")))),
    ("files that its table of contents does not list", lambda f: archive(
        f, contents((RECORD, TOLD)), (RECORD, TOLD), (RECORD, TOLD))),
    ("was cut off before", lambda f: archive(f, contents((RECORD, TOLD)))),
    ("was cut off", lambda f: archive(f, contents((RECORD, b"x" * 9999)))),
    ("where its table of contents lists|cannot be read", sparse),
    ("files that its table of contents does not list", bomb),
    ("differs from the one that was backed up", lambda f: archive(
        f, contents((RECORD, TOLD), collections=[{"name": "c", "documents": 1, "pages": 1}]), (RECORD, TOLD))),
    ("cannot be opened", lambda f: archive(f, contents((RECORD, b"{}")), (RECORD, b"{}"))),
    ("is not a database", lambda f: archive(
        f, contents((RECORD, TOLD), ("home/.bibliographies/x.sqlite", b"x" * 4096)), (RECORD, TOLD),
        ("home/.bibliographies/x.sqlite", b"x" * 4096))),
]  # fmt: skip


@pytest.mark.parametrize(("why", "made"), CASES)
def test_other_harm(why: str, made: Callable[[Path], object], file: Path, tmp_path: Path) -> None:
    made(file)
    refused(file, tmp_path, why)


def test_every_byte_counts(collection: Collection, tmp_path: Path) -> None:
    """One bit that is another, anywhere in the files of a backup, is found before anything is restored."""
    fakes.index(collection, {"mill.pdf": [["The mill was built in 1742."]]})
    whole = tmp_path / "whole.tar"
    back_up(whole, home=collection.path.parent)
    content = bytearray(whole.read_bytes())
    with tarfile.open(whole) as opened:
        members = [m for m in opened.getmembers() if m.size][1:]
    for member in members[:: max(1, len(members) // 8)]:
        content[member.offset_data + member.size // 2] ^= 1
        (tmp_path / "bent.tar").write_bytes(content)
        content[member.offset_data + member.size // 2] ^= 1
        refused(tmp_path / "bent.tar", tmp_path, "differs from the file that was backed up")


def refused(file: Path, tmp_path: Path, why: str) -> None:
    home = tmp_path / "elsewhere"
    before = sorted(tmp_path.rglob("*"))
    for _ in range(2):
        with pytest.raises(BackupUnreadable, match=why):
            restore(file, home=home)
        with pytest.raises(BackupUnreadable, match=why):
            check_backup(file)
    assert list_collections(home) == ()
    assert [path for path in sorted(tmp_path.rglob("*")) if path not in (*before, home)] == []


@pytest.mark.parametrize("said", ["../../../secret", "{outside}/secret", "0" * 63 + "/"])
def test_a_document_that_is_named_by_a_path(said: str, collection: Collection, file: Path, tmp_path: Path) -> None:
    """The copy of a document is found by the hash that the table tells: a backup could have it be any file."""
    fakes.index(collection, {"mill.pdf": [["The mill was built in 1742."]]})
    (tmp_path / "secret.pdf").write_bytes(b"%PDF-1.7 not for others")
    back_up(tmp_path / "whole.tar", home=collection.path.parent)
    with tarfile.open(tmp_path / "whole.tar") as opened:
        opened.extractall(tmp_path / "taken", filter="data")
    taken = tmp_path / "taken"
    told = json.loads((taken / "backup.json").read_text())
    table = lancedb.connect(taken / "collections" / collection.path.name / "db").open_table("documents")
    table.update(values={"sha256": said.format(outside=tmp_path)})
    paths = [path.relative_to(taken).as_posix() for path in sorted(taken.rglob("*")) if path.is_file()]
    files = [(path, (taken / path).read_bytes()) for path in paths if path != "backup.json"]
    archive(file, contents(*files, collections=told["collections"]), *files)
    for work in (lambda: check_backup(file), lambda: restore(file, home=tmp_path / "other")):
        with pytest.raises(BackupUnreadable, match="is not a SHA-256"):
            work()
    assert list_collections(tmp_path / "other") == ()
