"""The place of a collection's files: a folder, whose keys lead nowhere else; a home that is an address is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing import BadSetting, list_collections
from indexing.storage import FolderRoot


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    root = FolderRoot(tmp_path / "home")
    place = root.below("made-up")
    assert (place.name, place.folders(), list(place.files()), place.size()) == ("made-up", (), [], 0)
    place.write("a.json", b"one")
    place.write("a.json", b"three")
    assert (place.read("a.json"), place.exists("a.json"), place.exists("b.json")) == (b"three", True, False)
    with pytest.raises(FileNotFoundError):
        place.read("b.json")
    source = tmp_path / "source.pdf"
    source.write_bytes(b"content")
    inner = place.below("sources")
    inner.write("x", b"")
    inner.bring("copy.pdf", source)
    assert source.exists()
    inner.bring("moved.pdf", source, move=True)
    assert not source.exists()
    assert [(file.key, file.size) for file in inner.files()] == [("copy.pdf", 7), ("moved.pdf", 7), ("x", 0)]
    assert [file.key for file in inner.files("mo")] == ["moved.pdf"]
    assert (root.folders(), place.folders(), place.size()) == (("made-up",), ("sources",), 19)
    assert inner.parent.name == "made-up"
    found = inner.find("copy.pdf")
    assert found is not None
    copy = inner.local_copy(found)
    assert (copy.read_bytes(), copy.suffix) == (b"content", ".pdf")
    inner.delete("copy.pdf")
    inner.delete("copy.pdf")
    assert inner.find("copy.pdf") is None
    place.clear()
    assert (root.folders(), place.exists("a.json")) == ((), False)


def test_a_home_that_is_an_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOUCH_HOME", "s3://key:secret@bucket/x")
    with pytest.raises(BadSetting, match="give a folder") as refused:
        list_collections()
    assert "secret" not in str(refused.value)
