"""Files that wait when a server ends are named by the next one, and deleted; two servers share no folder."""

from __future__ import annotations

from pathlib import Path

from ui.web.uploads.waiting import WaitingFolder


def test_the_next_server_names_what_was_left_and_deletes_it(tmp_path: Path) -> None:
    first = WaitingFolder(tmp_path)
    assert (first.keeps, first.left) == (True, ())
    for name in ("a1/mill.pdf", "b2/unpacked/1/bees.docx"):
        path = first.files / name
        path.parent.mkdir(parents=True)
        path.write_bytes(b"%PDF")
    first.close()
    second = WaitingFolder(tmp_path)
    assert second.left == ("bees.docx", "mill.pdf")
    assert list(second.files.iterdir()) == []
    second.close()


def test_nothing_outside_is_deleted_where_a_link_stands_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.pdf").write_bytes(b"%PDF")
    first = WaitingFolder(tmp_path / "waiting")
    (first.files / "link").symlink_to(tmp_path / "mine")
    (tmp_path / "waiting" / "other").symlink_to(tmp_path / "mine")
    first.close()
    WaitingFolder(tmp_path / "waiting").close()
    assert (tmp_path / "mine" / "thesis.pdf").exists()


def test_two_servers_do_not_share_a_folder(tmp_path: Path) -> None:
    first = WaitingFolder(tmp_path)
    (first.files / "a.pdf").write_bytes(b"%PDF")
    other = WaitingFolder(tmp_path)
    assert (other.keeps, other.left) == (False, ())
    (other.files / "b.pdf").write_bytes(b"%PDF")
    other.close()
    assert not other.files.exists()
    assert [path.name for path in first.files.iterdir()] == ["a.pdf"]
    first.close()
