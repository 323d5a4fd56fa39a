"""Shards of a search: together they rank as one collection does, and one that fails is told, not left out silently."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from indexing import Collection, Hints, IndexingSettings, SearchSettings
from indexing.embed.minilm import MiniLM
from indexing.errors import CollectionDamaged, NotScored
from indexing.search import shard as search
from indexing.search.ranking import merge_candidates, rank_candidates
from indexing.search.searcher import Searcher
from indexing.search.shard import Candidates, LocalShard, Shard, ShardQuery, shards_of
from indexing.types import Found
from tests.support import fakes

THINGS = ("lighthouse", "tractor", "violin", "glacier", "bakery", "submarine", "orchard", "telescope", "tram")
PLACES = ("Aberdeen", "Kyoto", "Lima", "Bergen", "Accra", "Quebec", "Turin", "Hobart", "Izmir", "Oslo", "Riga", "Graz")
MAXSIM = SearchSettings(full_text_weight=0)
"""Without full text, whose scores know the words of their own shard alone."""


def of(home: Path, embedder: MiniLM, shards: int) -> Collection:
    """Twelve documents of nine pages, more than `ALL_PAGES`; three shards have fewer each."""
    made = Collection.create(f"in-{shards}", home, IndexingSettings(workers=1, shards=shards))
    vars(made)["_embedder"] = embedder
    rng = random.Random(5)
    files = {
        f"{place}.pdf": [
            [
                f"The {thing} in {place} was opened to the public in {1800 + rng.randrange(200)}.",
                f"Visitors of the {thing} praise the {rng.choice(THINGS)} and the {rng.choice(THINGS)}.",
            ]
            for thing in THINGS
        ]
        for place in PLACES
    }
    fakes.index(made, files)
    return made


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    return of(tmp_path_factory.mktemp("one"), embedder, 1)


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    return of(tmp_path_factory.mktemp("three"), embedder, 3)


def ranks(found: Found) -> list[tuple[str, float]]:
    return [(hit.element.id, round(hit.score, 4)) for hit in found.hits]


@pytest.mark.parametrize("all_pages", [1, 64])
def test_shards_rank_as_a_whole(
    one: Collection, three: Collection, all_pages: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "ALL_PAGES", all_pages)
    for thing, place in zip(THINGS, PLACES, strict=False):
        asked = [f"When was the {thing} in {place} opened?", f"{place} {thing} opening year"]
        whole, parts = (c.search(asked, limit=20, settings=MAXSIM) for c in (one, three))
        assert ranks(whole)[:10] == ranks(parts)[:10]
        assert [(p.doc_id, p.number) for p in whole.pages[:5]] == [(p.doc_id, p.number) for p in parts.pages[:5]]
        first, same = whole.hits[0], parts.hits[0]
        assert np.allclose(first.similarities, same.similarities)
        assert (first.found_by, first.by_view) == (same.found_by, same.by_view)
        assert parts.missing == ()


def test_bonuses_and_restrictions_hold_in_shards(one: Collection, three: Collection) -> None:
    chosen = [d.id for d in one.documents()][:2]
    for options in ({"hints": Hints(pages=(4,))}, {"hints": Hints(front=True)}, {"doc_ids": chosen}):
        whole, parts = (
            c.search("Which view is praised?", limit=10, settings=MAXSIM, **options)  # type: ignore[arg-type]
            for c in (one, three)
        )
        assert ranks(whole) == ranks(parts)
    assert {hit.element.doc_id for hit in parts.hits} <= set(chosen)


def test_a_full_text_match_counts_by_the_best_of_all_shards(three: Collection) -> None:
    """Each shard's own best would count as 1, were it not for that."""
    found = three.search("Izmir telescope", limit=60)
    assert found.hits[0].element.text.startswith("The telescope in Izmir")
    query = ShardQuery({"text": [three._embedder.embed_query("Izmir telescope")]}, ["Izmir telescope"], Hints(), (),
                       SearchSettings(), 3)  # fmt: skip
    told = [c for s in three._searcher._shards if (c := s.candidates(query)) is not None]
    best = [c.text_hits[0].best for c in told]
    together = merge_candidates(told)
    assert together.text_hits[0].best == max(best) > min(best)
    lists = [c.keys for c in told]
    assert len(together.keys) == sum(map(len, lists))
    assert (np.diff(together.keys) > 0).all()
    alone = rank_candidates(together, SearchSettings(), "text", None, 1)
    assert alone.scores.max() == pytest.approx(found.hits[0].score)


class Failing(LocalShard):
    """A shard that fails at one of its two requests, as often as it is told."""

    def __init__(self, of: Shard, at: str, times: int) -> None:
        assert isinstance(of, LocalShard)
        for name, value in vars(of).items():
            setattr(self, name, value)
        self.at, self.times = at, times

    def _fail(self, at: str, error: Exception) -> None:
        if at == self.at and self.times > 0:
            self.times -= 1
            raise error

    def candidates(self, query: ShardQuery) -> Candidates | None:
        self._fail("candidates", NotScored("it has no memory"))
        return super().candidates(query)

    def elements(self, state, keys):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
        self._fail("elements", CollectionDamaged("it went away"))
        return super().elements(state, keys)


def failing(three: Collection, at: str, times: int) -> Searcher:
    shards = shards_of(three._store, three._embedder)
    return Searcher([shards[0], Failing(shards[1], at, times), shards[2]], three._embedder)


def test_a_shard_that_fails_is_named_and_the_others_answer(three: Collection) -> None:
    whole = three.search("Which view is praised?", limit=100).hits
    theirs = {h.element.doc_id for h in whole} & {d.id for d in three._store.shards[1].documents()}  # type: ignore[union-attr]
    found = failing(three, "candidates", 2).search("Which view is praised?", limit=100)
    assert found.missing == ("shard 2 of 3 (it has no memory)",)
    assert found.hits
    assert theirs
    assert not theirs & {h.element.doc_id for h in found.hits}


@pytest.mark.parametrize(("times", "missing"), [(1, ()), (2, ("shard 2 of 3 (it went away)",))])
def test_elements_that_are_gone_are_looked_for_once_more(
    three: Collection, times: int, missing: tuple[str, ...]
) -> None:
    found = failing(three, "elements", times).search("Which view is praised?", limit=100)
    assert found.missing == missing
    assert found.hits
