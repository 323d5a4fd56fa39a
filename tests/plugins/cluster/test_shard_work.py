"""The work of an actor, without a cluster: it answers as a local shard, and of the right folder alone."""

from __future__ import annotations

import pickle
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from indexing import Collection, Hints, IndexingSettings, SearchSettings
from indexing.embed.minilm import MiniLM
from indexing.errors import CollectionDamaged
from indexing.search.shard import ShardQuery, shards_of
from plugins.cluster import shard_work
from plugins.cluster.shard_work import ShardPlace, ShardWork
from tests.support import fakes

SETTINGS = IndexingSettings(workers=1, shards=2, visual="none")


@pytest.fixture
def made(tmp_path: Path, embedder: MiniLM) -> Collection:
    found = Collection.create("two", tmp_path / "home", SETTINGS)
    vars(found)["_embedder"] = embedder
    fakes.index(found, {f"{n}.pdf": [[f"Ledger {n} counts barrels of cider."]] for n in range(8)})
    return found


def place_of(made: Collection, number: int) -> ShardPlace:
    return ShardPlace(str(made.path), made._record, number)


def test_it_answers_as_the_local_shard_does(made: Collection, embedder: MiniLM) -> None:
    query = ShardQuery({"text": [embedder.embed_query("cider")]}, ["cider"], Hints(), (), SearchSettings(), 2)
    for number, local in enumerate(shards_of(made._store, embedder), 1):
        work = pickle.loads(pickle.dumps(ShardWork(place_of(made, number), made.settings)))
        work.warm(1)
        there, here = work.candidates(1, query), local.candidates(query)
        assert here is not None
        assert there is not None
        assert (there.doc_ids, there.states) == (here.doc_ids, here.states)
        assert np.array_equal(there.keys, here.keys)
        assert np.array_equal(there.view_scores["text"].own, here.view_scores["text"].own)
        keys = here.keys[here.keys % 2 == 1][:1].tolist()
        assert work.elements(1, there.states[0], keys)[0][0] == local.elements(here.states[0], keys)[0][0]
        pages = [(d.id, 1) for d in made.documents()]
        assert work.elements_on(1, pages) == local.elements_on(pages)
        assert work.unseen_pages(1, ()) == local.unseen_pages(())
    assert place_of(made, 2).name == "shard 2 of 2"
    assert replace(place_of(made, 1), record=replace(made._record, shards=1)).name == "the collection"


def test_a_node_that_does_not_have_the_folder_says_so_and_makes_nothing(made: Collection, tmp_path: Path) -> None:
    elsewhere = replace(place_of(made, 1), address=str(tmp_path / "elsewhere"))
    with pytest.raises(CollectionDamaged, match="share the folder with the node"):
        ShardWork(elsewhere, made.settings).warm(1)
    assert not (tmp_path / "elsewhere").exists()
    shutil.rmtree(made.path / "shards" / "1")
    with pytest.raises(CollectionDamaged, match=r"no readable database at .*shards/1/db"):
        ShardWork(place_of(made, 1), made.settings).warm(1)
    assert not (made.path / "shards" / "1").exists()
    ShardWork(place_of(made, 2), made.settings).warm(1)


def test_an_older_copy_is_refused(
    made: Collection, embedder: MiniLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_work, "LAG_SECONDS", 0.2)
    shutil.copytree(made.path, tmp_path / "copy")
    copied = ShardWork(replace(place_of(made, 1), address=str(tmp_path / "copy")), made.settings)
    shared = ShardWork(place_of(made, 1), made.settings)
    before = made._store.shards[0].version()  # type: ignore[union-attr]
    copied.warm(before)
    shared.warm(before)
    fakes.index(made, {f"new {n}.pdf": [[f"Chart {n} shows the harbour."]] for n in range(8)})
    after = made._store.shards[0].version()  # type: ignore[union-attr]
    assert after > before
    query = ShardQuery({"text": [embedder.embed_query("harbour")]}, ["harbour"], Hints(), (), SearchSettings(), 2)
    found = shared.candidates(after, query)
    assert found is not None
    assert found.text_hits[0].best > 0
    with pytest.raises(CollectionDamaged, match="an older copy of the collection"):
        copied.candidates(after, query)


def test_another_version_of_the_collection_is_refused(made: Collection) -> None:
    other = replace(place_of(made, 1), record=replace(made._record, version=3))
    shutil.copytree(made.path / "shards", made.path / "versions" / "3" / "shards")
    with pytest.raises(CollectionDamaged, match="a different version of the collection"):
        ShardWork(other, made.settings).warm(1)
