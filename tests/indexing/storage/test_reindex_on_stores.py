"""A reindex on a real S3 server: the swap is one write, other machines follow, a lease that is lost swaps nothing."""

from __future__ import annotations

import threading

import pytest

from indexing import Collection, IndexingSettings, errors
from indexing.embed.minilm import MiniLM
from indexing.ingest import Progress
from indexing.reindex import discard_reindex, reindex_collection, run
from indexing.storage import ObjectRoot, lease
from indexing.store.versions import record_watch
from tests.support import fakes
from tests.support.object_store import S3Server

MILL = {"mill.pdf": [["The mill was built in 1742.", "Its wheel is nine metres wide."], ["The miller keeps bees."]]}
FERRY = {"ferry.pdf": [["The ferry crosses the bay twice a day."]]}
QUESTION = "When was the mill built?"


@pytest.fixture
def home(store: S3Server, embedder: MiniLM, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(run, "text_embedder", lambda *_, **__: embedder)
    monkeypatch.setattr(record_watch, "EVERY", 1000.0)  # readers learn of the swap by what is gone
    address = store.home()
    fakes.index(fakes.collection(address, embedder), MILL | FERRY)
    return address


def reader(home: str, embedder: MiniLM) -> Collection:
    made = Collection.open("made-up", home, IndexingSettings(workers=1))
    vars(made)["_embedder"] = embedder
    return made


def test_readers_of_other_machines_follow_and_nothing_is_left_over(home: str, embedder: MiniLM) -> None:
    replica = reader(home, embedder)
    before = [(hit.element.id, hit.score) for hit in replica.search(QUESTION).hits]
    seen: list[int] = []

    def asked(_: Progress) -> None:
        assert replica.search(QUESTION).hits[0].element.text == "The mill was built in 1742."
        seen.append(replica.settings.shards)

    assert reindex_collection("made-up", home, changes={"shards": 2}, on_progress=asked).exit_code == 0
    assert set(seen) == {1}
    after = [(hit.element.id, hit.score) for hit in replica.search(QUESTION).hits]
    assert after[0] == pytest.approx(before[0])
    assert replica.settings.shards == 2
    assert {d.name for d in replica.documents()} == {"mill.pdf", "ferry.pdf"}
    keys = {file.key.split("/")[0] for file in ObjectRoot.at(f"{home}/made-up").all_files()}
    assert keys - {lease.KEY, "writer.clock"} == {"collection.json", "versions"}


def test_a_stopped_run_goes_on_or_is_given_up(home: str, embedder: MiniLM) -> None:
    stop = threading.Event()

    def seen(moment: Progress) -> None:
        if moment.files_done == 1:
            stop.set()

    assert reindex_collection("made-up", home, changes={"shards": 2}, on_progress=seen, cancel=stop).cancelled
    replica = reader(home, embedder)
    assert (len(replica.documents()), replica.settings.shards) == (2, 1)
    report = reindex_collection("made-up", home)
    assert sorted(file.status for file in report.files) == ["indexed", "skipped"]
    assert (len(replica.documents()), replica.settings.shards) == (2, 2)
    stop.set()
    assert reindex_collection("made-up", home, changes={"shards": 3}, cancel=stop).cancelled
    assert discard_reindex("made-up", home)
    assert ObjectRoot.at(f"{home}/made-up").below("versions").folders() == ("1",)
    assert replica.search(QUESTION).hits[0].element.text == "The mill was built in 1742."


def test_a_writer_that_lost_its_lease_swaps_nothing(
    home: str, embedder: MiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ObjectRoot.at(f"{home}/made-up")

    def taken_over(moment: Progress) -> None:
        if moment.files_done == 2:  # another process has the lease now
            place.write(lease.KEY, b'{"owner": "another"}')

    monkeypatch.setattr(lease, "FRESH", 0.0)
    with pytest.raises(errors.WriterReplaced):
        reindex_collection("made-up", home, changes={"shards": 2}, on_progress=taken_over)
    replica = reader(home, embedder)
    assert (len(replica.documents()), replica.settings.shards) == (2, 1)
