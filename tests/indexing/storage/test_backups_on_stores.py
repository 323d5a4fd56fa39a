"""Backups of collections on a real S3 server: taken there, restored there or in a folder; the record comes last."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing import Collection, back_up, list_collections, restore
from indexing.embed.minilm import MiniLM
from indexing.errors import CollectionThere, StoreUnreachable
from indexing.storage import ObjectRoot
from tests.support import fakes
from tests.support.object_store import S3Server

MILL = {"mill.pdf": [["The mill was built in 1742.", "Its wheel is nine metres wide."], ["The miller keeps bees."]]}


def first_hit(home: Path | str, embedder: MiniLM, name: str = "made-up") -> str:
    return fakes.opened(home, embedder, name).search("When was the mill built?").hits[0].element.text


@pytest.mark.slow
@pytest.mark.gate
def test_there_and_back(store: S3Server, embedder: MiniLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    home, source = store.home(), tmp_path / "source.pdf"
    source.write_bytes(b"the file itself")
    fakes.index(fakes.collection(home, embedder), MILL, source)
    back_up(tmp_path / "all.tar", home=home)
    folder = tmp_path / "folder"
    restore(tmp_path / "all.tar", home=folder)
    assert first_hit(folder, embedder) == "The mill was built in 1742."
    copy = Collection.open("made-up", folder)
    assert copy.originals.path(copy.document("mill.pdf")).read_bytes() == b"the file itself"
    with pytest.raises(CollectionThere, match="a collection cannot be replaced in one step"):
        restore(tmp_path / "all.tar", replace=True, home=home)
    restore(tmp_path / "all.tar", called="copy", home=home)
    assert list_collections(home) == ("copy", "made-up")
    assert first_hit(home, embedder, "copy") == "The mill was built in 1742."


def test_a_restoring_that_is_cut_short_has_made_no_collection(
    store: S3Server, embedder: MiniLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    fakes.index(fakes.collection(tmp_path / "home", embedder), MILL)
    back_up(tmp_path / "all.tar", home=tmp_path / "home")
    home = store.home()
    bring = ObjectRoot.bring

    def away(self: ObjectRoot, key: str, file: Path, *, move: bool = False) -> None:
        if "elements" in key:
            raise StoreUnreachable("the store is away: run the command again")
        bring(self, key, file, move=move)

    with monkeypatch.context() as patched:
        patched.setattr(ObjectRoot, "bring", away)
        with pytest.raises(StoreUnreachable):
            restore(tmp_path / "all.tar", home=home)
    assert list_collections(home) == ()
    restore(tmp_path / "all.tar", home=home)
    assert first_hit(home, embedder) == "The mill was built in 1742."
