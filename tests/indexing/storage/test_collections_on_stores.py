"""Collections on a real S3 server: as those in folders, for writers that lose their lease or their store, too."""

from __future__ import annotations

import gc
import shutil
from pathlib import Path

import pytest

from indexing import Collection, errors, list_collections
from indexing.embed.minilm import MiniLM
from indexing.storage import lease
from tests.support import fakes
from tests.support.object_store import S3Server

MILL = {"mill.pdf": [["The mill was built in 1742.", "Its wheel is nine metres wide."], ["The miller keeps bees."]]}
FERRY = {"ferry.pdf": [["The ferry crosses the bay twice a day."]]}


@pytest.fixture
def home(store: S3Server) -> str:
    return store.home()


@pytest.fixture
def remote(home: str, embedder: MiniLM) -> Collection:
    return fakes.collection(home, embedder)


def found(collection: Collection, question: str) -> list[tuple[str, float]]:
    return [(hit.element.text, round(hit.score, 4)) for hit in collection.search(question).hits]


def test_it_finds_what_a_folder_finds(remote: Collection, home: str, tmp_path: Path, embedder: MiniLM) -> None:
    local = fakes.collection(tmp_path / "home", embedder)
    source = tmp_path / "source.pdf"
    source.write_bytes(b"the file itself")
    for collection in (local, remote):
        fakes.index(collection, MILL | FERRY, source)
    again = fakes.opened(home, embedder)
    assert list_collections(home) == ("made-up",)
    assert [d.name for d in again.documents()] == ["mill.pdf", "ferry.pdf"]
    for question in ("When was the mill built?", "How often does the ferry cross the bay?"):
        assert found(again, question) == found(local, question)
    assert again.page_elements(again.document("mill.pdf").id, 2)[0].text == "The miller keeps bees."
    assert again.originals.path(again.document("mill.pdf")).read_bytes() == b"the file itself"
    element = again.page_elements(again.document("mill.pdf").id, 1)[0]
    remote.knowledge.keep({element: "a mill"}, "m", "p")
    assert again.knowledge.read([element], "m", "p") == {element.id: "a mill"}
    here, there = local.stats(), again.stats()
    assert {key: there[key] for key in ("documents", "pages", "elements", "source_bytes")} == {
        key: here[key] for key in ("documents", "pages", "elements", "source_bytes")
    }


@pytest.mark.slow
@pytest.mark.gate
def test_replicas_follow_and_a_snapshot_stays(remote: Collection, home: str, embedder: MiniLM) -> None:
    (mill,) = fakes.index(remote, MILL)
    replica = fakes.opened(home, embedder)
    before = replica.snapshot()
    assert found(replica, "When was the mill built?")[0][0] == "The mill was built in 1742."
    fakes.index(remote, FERRY)
    assert "ferry" in found(replica, "How often does the ferry cross?")[0][0]
    remote.remove("mill.pdf")
    remote.compact()
    assert [d.name for d in replica.documents()] == ["ferry.pdf"]
    assert all("mill" not in text for text, _ in found(replica, "When was the mill built?"))
    assert before.documents() == (before.documents()[0],)
    assert before.page_elements(mill.id, 2)[0].text == "The miller keeps bees."


def test_without_a_cache_the_store_is_searched(remote: Collection, home: str, embedder: MiniLM, tmp_path: Path) -> None:
    fakes.index(remote, MILL)
    assert (
        found(fakes.opened(home, embedder, cache_mb=0), "When was the mill built?")[0][0]
        == "The mill was built in 1742."
    )
    assert not (tmp_path / "cache" / "views").exists()


def test_a_deleted_cache_is_filled_again(remote: Collection, home: str, embedder: MiniLM, tmp_path: Path) -> None:
    fakes.index(remote, MILL)
    replica = fakes.opened(home, embedder)
    first = found(replica, "When was the mill built?")
    gc.collect()  # what earlier tests have opened closes its views now, not while the folder is deleted
    shutil.rmtree(tmp_path / "cache")
    assert replica.page_elements(replica.document("mill.pdf").id, 1)[0].text == "The mill was built in 1742."
    assert found(replica, "When was the mill built?") == first


def test_no_write_without_the_lease(
    remote: Collection, home: str, embedder: MiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "FRESH", 0.0)
    fakes.index(remote, MILL)
    ((name, pages),) = FERRY.items()
    document = fakes.document(name, pages)
    rows = remote.snapshot().page_keys().num_rows

    def robbed() -> None:
        with remote.writer() as writer:
            writer.add(fakes.parsed(document.id, 1, pages[0]))
            writer.finish(document, Path("/nowhere"))
            remote.place.write(lease.KEY, b'{"owner": "another"}')
            writer.flush()

    with pytest.raises(errors.WriterReplaced):
        robbed()
    again = fakes.opened(home, embedder)
    assert [d.name for d in again.documents()] == ["mill.pdf"]
    assert again._store._tables["pages"].count_rows() == rows


@pytest.mark.slow
@pytest.mark.gate
def test_a_run_resumes_after_an_outage_of_the_store(
    remote: Collection, home: str, embedder: MiniLM, store: S3Server
) -> None:
    fakes.index(remote, MILL)
    ((name, pages),) = FERRY.items()
    document = fakes.document(name, pages)

    def cut_off() -> None:
        with remote.writer() as writer:
            writer.add(fakes.parsed(document.id, 1, pages[0]))
            store.gate.close_gate()
            writer.finish(document, Path("/nowhere"))
            writer.flush()

    with pytest.raises(errors.StoreUnreachable, match="run the same command again"):
        cut_off()
    with pytest.raises(errors.StoreUnreachable):
        fakes.opened(home, embedder)
    store.gate.shut = False
    again = fakes.opened(home, embedder)
    again.place.delete(lease.KEY)  # as it would be given away after half a minute
    fakes.index(again, FERRY)
    assert [d.name for d in again.documents()] == ["mill.pdf", "ferry.pdf"]
    assert again._store._tables["pages"].count_rows() == 3


def test_a_deletion_that_broke_off_leaves_nothing_behind(remote: Collection, home: str, embedder: MiniLM) -> None:
    fakes.index(remote, MILL)
    remote.place.delete("collection.json")
    assert list_collections(home) == ()
    made = fakes.collection(home, embedder)
    assert made.documents() == ()
    fakes.index(made, FERRY)
    made.delete()
    assert list_collections(home) == ()
    with pytest.raises(errors.CollectionMissing, match="none yet"):
        Collection.open("made-up", home)
    assert made.place.size() == 0
