"""A Zotero data folder is read as it lies there: records, tags, collections; nothing locked, nothing outside of it."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from indexing.errors import LibraryUnreadable
from indexing.metadata import Metadata
from plugins.zotero import library
from plugins.zotero.library import read_library
from plugins.zotero.records import date_of, iso_date
from tests.plugins.zotero.zotero_folder import ZoteroFolder, record_of, small_library


@pytest.fixture
def folder(tmp_path: Path) -> ZoteroFolder:
    return ZoteroFolder(tmp_path / "Zotero ? 100%")


def problems(path: Path, base: Path | None = None) -> list[str]:
    return [f"{type(one.error).__name__}: {one.error}" for one in read_library(path, base).unread]


def test_a_work_has_its_record_its_tags_and_its_collections(tmp_path: Path) -> None:
    home = small_library(tmp_path / "Zotero").done()
    files = read_library(home)
    ((path, metadata),) = files.records.items()
    assert path == home / "storage" / "KEY00002" / "Holm 2015.pdf"
    assert record_of(metadata) == {
        "type": "article-journal", "title": "Cider & the weather", "container-title": "Journal of Orchards",
        "volume": "12", "issue": "3", "page": "101-120", "DOI": "10.1000/182", "language": "en-GB",
        "URL": "https://example.org/cider", "citation-key": "holmCider2015",
        "issued": {"date-parts": [[2015, 3]]},
        "author": [{"family": "Holm", "given": "Anna"}, {"literal": "The Mill and Sons"}],
        "editor": [{"family": "Ek", "given": "Bo"}],
    }  # fmt: skip
    assert (metadata.author, metadata.date, metadata.language) == ("Anna Holm; The Mill and Sons", "2015-03", "en")
    assert (metadata.folder, metadata.tags) == ("Read", ("apples", "weather", "Read", "Thesis/Chapter 2-3"))
    assert Metadata.from_json(metadata.to_json()) == metadata
    assert files.notes == ("1 attachment is not a PDF or EPUB (such as web snapshots): left out",)


def test_nothing_outside_the_storage_is_read(folder: ZoteroFolder, tmp_path: Path) -> None:
    (tmp_path / "secret.pdf").write_bytes(b"%PDF-secret")
    work = folder.work("book", {"title": "B"})
    for name in ("../../../secret.pdf", "a/../../b.pdf", "/etc/secret.pdf", "x\\..\\y.pdf", "key.pdf"):
        folder.attach(work, f"storage:{name}", data=None)
    folder.connection.execute("UPDATE items SET key = '../..' WHERE itemID = ?", (folder.items,))
    stored = folder.attach(work, "storage:link.pdf")
    stored.unlink()
    stored.symlink_to(tmp_path / "secret.pdf")
    folder.attach(work, "storage:fine.pdf")
    home = folder.done()
    assert [path.name for path in read_library(home).records] == ["fine.pdf"]
    assert [("points outside" in text, "a link to outside" in text) for text in problems(home)] == [
        *[(True, False)] * 5, (False, True),
    ]  # fmt: skip


def test_linked_files_are_found_and_missing_ones_told(folder: ZoteroFolder, tmp_path: Path) -> None:
    base = tmp_path / "papers"
    (base / "2020").mkdir(parents=True)
    for file in (tmp_path / "whole.pdf", base / "2020" / "below.pdf"):
        file.write_bytes(b"%PDF-1.4\n")
    work = folder.work("book", {"title": "B"})
    for path in (str(tmp_path / "whole.pdf"), "attachments:2020/below.pdf", "attachments:../whole.pdf",
                 "attachments:/etc/x.pdf", r"C:\papers\x.pdf", f"{tmp_path}/../x.pdf", "/no/such.pdf"):  # fmt: skip
        folder.attach(work, path, 2)
    folder.attach(work, "storage:lost.pdf", data=None)
    home = folder.done()
    assert list(read_library(home, base).records) == [tmp_path / "whole.pdf", base / "2020" / "below.pdf"]
    texts = problems(home, base)
    assert [text.split(":")[0] for text in texts] == [
        "NotReadable", "NotReadable", "FileMissing", "NotReadable", "FileMissing", "FileMissing",
    ]  # fmt: skip
    assert "a path from another operating system" in texts[2]
    assert "open it once in Zotero, which downloads it" in texts[5]
    assert any("--zotero-base" in text for text in problems(home))


def test_a_running_zotero_locks_nobody_out(tmp_path: Path) -> None:
    folder = small_library(tmp_path / "Zotero")
    folder.connection.commit()
    folder.connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    folder.connection.execute("BEGIN EXCLUSIVE")
    other = sqlite3.connect(f"file:{folder.path}/zotero.sqlite?mode=ro", uri=True, timeout=0)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("SELECT * FROM items")
    other.close()
    before = sorted(folder.path.iterdir())
    assert len(read_library(folder.path).records) == 1
    assert sorted(folder.path.iterdir()) == before
    folder.connection.close()


def test_what_stands_in_the_log_is_read_from_a_copy(tmp_path: Path) -> None:
    folder = small_library(tmp_path / "Zotero")
    folder.connection.commit()
    folder.connection.execute("PRAGMA journal_mode = WAL")
    folder.attach(folder.work("book", {"title": "Just added"}), "storage:new.pdf")
    folder.connection.commit()
    wal = folder.path / "zotero.sqlite-wal"
    assert wal.stat().st_size > 0
    before = {path.name: path.read_bytes() for path in folder.path.iterdir() if path.is_file()}
    assert [record_of(m)["title"] for m in read_library(folder.path).records.values()] == [
        "Cider & the weather",
        "Just added",
    ]
    assert {path.name: path.read_bytes() for path in folder.path.iterdir() if path.is_file()} == before
    folder.connection.close()


def refused(path: Path) -> str:
    with pytest.raises(LibraryUnreadable) as error:
        read_library(path)
    return str(error.value)


def test_what_is_no_library_is_named(tmp_path: Path) -> None:
    assert "no such file or folder" in refused(tmp_path / "none")
    assert "no zotero.sqlite" in refused(tmp_path)
    home = tmp_path / "Zotero"
    home.mkdir()
    file = home / "zotero.sqlite"
    file.write_bytes(b"")
    assert "not an SQLite database" in refused(home)
    file.write_bytes(b"SQLite format 3\0" + bytes(5000))
    assert "cannot be read" in refused(home)
    file.unlink()
    with closing(sqlite3.connect(file)) as rows:
        rows.executescript("CREATE TABLE items (a)")
    assert "not a Zotero library (it has no table itemTypes)" in refused(home)
    (tmp_path / "x.docx").write_bytes(b"x")
    assert "give the folder in which Zotero keeps its data" in refused(tmp_path / "x.docx")
    data = bytearray((small_library(tmp_path / "damaged").done() / "zotero.sqlite").read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    (tmp_path / "damaged" / "zotero.sqlite").write_bytes(data)
    assert "a Zotero database that cannot be read" in refused(tmp_path / "damaged")
    assert "add PDFs in Zotero first" in refused(ZoteroFolder(tmp_path / "empty").done())
    old = small_library(tmp_path / "old")
    old.connection.execute("ALTER TABLE itemAttachments RENAME COLUMN parentItemID TO sourceItemID")
    assert "Zotero 4 or older" in refused(old.done())


def test_a_view_in_place_of_a_table_is_refused(folder: ZoteroFolder) -> None:
    folder.attach(folder.work("book", {"title": "B"}), "storage:x.pdf")
    folder.connection.executescript(
        "DROP TABLE tags; CREATE VIEW tags AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) "
        "SELECT i AS tagID, 'x' AS name FROM n;"
    )
    assert "it has no table tags" in refused(folder.done())


def test_a_database_that_takes_for_ever_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = small_library(tmp_path / "Zotero")
    folder.connection.execute("DROP TABLE itemTags")
    endless = "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n)"
    folder.connection.execute("CREATE TABLE itemTags (itemID INT, tagID INT, type INT)")
    folder.connection.commit()
    monkeypatch.setattr(library, "SECONDS", 0.2)
    home = folder.done()
    with pytest.raises(LibraryUnreadable, match="not read within"):
        library.read_steadily(home / "zotero.sqlite", lambda c: c.execute(f"SELECT {endless}").fetchone())


def test_values_of_any_kind_and_size_are_bounded(folder: ZoteroFolder) -> None:
    work = folder.work("book", {"title": "x" * 3_000_000, "date": "2015-99-99", "volume": "\x00\x1b[31m", "ISBN": "1"})
    folder.connection.execute("UPDATE itemDataValues SET value = x'ff00fe' WHERE value = '1'")
    folder.attach(work, "storage:x.pdf")
    folder.collect(1, "A", 2, [work])
    folder.collect(2, "B", 1)
    (metadata,) = read_library(folder.done()).records.values()
    assert len(record_of(metadata)["title"]) == 2000
    assert record_of(metadata)["issued"] == {"date-parts": [[2015]]}
    assert metadata.tags == ("B/A",)
    assert len(metadata.record) < 5000


@pytest.mark.parametrize(
    ("value", "iso"),
    [
        ("2015-03-00 March 2015", "2015-03"), ("2015-00-00 2015", "2015"), ("2015-03-17 17 March 2015", "2015-03-17"),
        ("2021-13-04", "2021"), ("0000-00-00 n.d.", ""), ("Spring 1987", "1987"), ("c. 12345", ""), ("n.d.", ""),
    ],
)  # fmt: skip
def test_dates_of_items(value: str, iso: str) -> None:
    assert iso_date(date_of(value)) == iso
