"""A shard that is down: the answer names it, also where nothing is found."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from indexing import Collection, IndexingSettings
from indexing.embed.minilm import MiniLM
from indexing.store.shards import ShardedStore
from rag import Pipeline
from tests.support import fakes

TOLD = "Part of the collection was not searched, and what it holds is missing here: "


@pytest.mark.parametrize("question", ["Which ledger counts barrels of cider?", "Who invented the zeppelin?"])
def test_the_answer_names_a_shard_that_was_not_searched(tmp_path: Path, embedder: MiniLM, question: str) -> None:
    def opened() -> Collection:
        made = Collection.create("parts", tmp_path, IndexingSettings(workers=1, shards=2, visual="none"))
        vars(made)["_embedder"] = embedder
        return made

    made = opened()
    fakes.index(made, {f"{n}.pdf": [[f"Ledger {n} counts barrels of cider."]] for n in range(8)})
    assert isinstance(made._store, ShardedStore)
    assert all(shard.documents() for shard in made._store.readable)
    assert TOLD not in " ".join(Pipeline(made).answer(question).notes)
    shutil.rmtree(tmp_path / "parts" / "shards" / "2")
    assert TOLD + "shard 2 of 2 (" in " ".join(Pipeline(opened()).answer(question).notes)
