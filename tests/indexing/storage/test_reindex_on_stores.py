"""A reindex on a real S3 server: the swap is one write, other machines follow, a lease that is lost swaps nothing."""

from __future__ import annotations

import pytest

from indexing import errors
from indexing.embed.minilm import MiniLM
from indexing.ingest import Progress
from indexing.reindex import reindex_collection, run
from indexing.storage import ObjectRoot, lease
from indexing.store import versions
from tests.support import fakes
from tests.support.object_store import S3Server

MILL = {"mill.pdf": [["The mill was built in 1742.", "Its wheel is nine metres wide."], ["The miller keeps bees."]]}
FERRY = {"ferry.pdf": [["The ferry crosses the bay twice a day."]]}
QUESTION = "When was the mill built?"


@pytest.fixture
def home(store: S3Server, embedder: MiniLM, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(run, "text_embedder", lambda *_, **__: embedder)
    monkeypatch.setattr(versions, "EVERY", 1000.0)  # readers learn of the swap by what is gone
    address = store.home()
    fakes.index(fakes.collection(address, embedder), MILL | FERRY)
    return address


def test_readers_of_other_machines_follow_and_nothing_is_left_over(home: str, embedder: MiniLM) -> None:
    replica = fakes.opened(home, embedder)
    before = [(hit.element.id, hit.score) for hit in replica.search(QUESTION).hits]
    seen: list[str] = []

    def asked(_: Progress) -> None:
        assert replica.search(QUESTION).hits[0].element.text == "The mill was built in 1742."
        seen.append(replica.settings.visual)

    assert reindex_collection("made-up", home, changes={"visual": "none"}, on_progress=asked).exit_code == 0
    assert set(seen) == {"ocr_regions"}
    after = [(hit.element.id, hit.score) for hit in replica.search(QUESTION).hits]
    assert after[0] == pytest.approx(before[0])
    assert replica.settings.visual == "none"
    assert {d.name for d in replica.documents()} == {"mill.pdf", "ferry.pdf"}
    keys = {file.key.split("/")[0] for file in ObjectRoot.at(f"{home}/made-up").all_files()}
    assert keys - {lease.KEY, "writer.clock"} == {"collection.json", "versions"}


def test_no_swap_without_the_lease(home: str, embedder: MiniLM, monkeypatch: pytest.MonkeyPatch) -> None:
    place = ObjectRoot.at(f"{home}/made-up")

    def taken_over(moment: Progress) -> None:
        if moment.files_done == 2:  # another process has the lease now
            place.write(lease.KEY, b'{"owner": "another"}')

    monkeypatch.setattr(lease, "FRESH", 0.0)
    with pytest.raises(errors.WriterReplaced):
        reindex_collection("made-up", home, changes={"visual": "none"}, on_progress=taken_over)
    replica = fakes.opened(home, embedder)
    assert (len(replica.documents()), replica.settings.visual) == (2, "ocr_regions")
