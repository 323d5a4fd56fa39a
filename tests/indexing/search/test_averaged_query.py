"""The averaged query of a universal embedder: one search with the mean of two vectors (MAVIS, Table 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from indexing import BBox, Collection, Mode, RegionVectors, SearchSettings
from indexing.embed.minilm import MiniLM
from indexing.embed.protocol import QueryVectors, Seeking
from indexing.search.ranking import mean_query
from indexing.search.searcher import Searcher
from indexing.search.shard import LocalShard
from indexing.store.database import Store
from indexing.store.writer import Writer
from indexing.types import ParsedPage
from tests.indexing.patchwork import Patchwork
from tests.support import fakes

PLACES = {"bread": (1.0, 0.0), "ferry": (0.0, 1.0), "harbour": (0.6, 0.8), "other": (-1.0, 0.0)}
"""The words that the embedder knows, and their places in a plane."""


@dataclass
class Plane(Patchwork):
    """A universal embedder of two directions: a text lies where its known word lies. `asked` are its queries."""

    asked: list[tuple[str, Seeking]] = field(default_factory=list)

    def embed_pages(self, pages: Sequence[ParsedPage]) -> list[RegionVectors]:
        boxes, one = (BBox(0, 0, 1, 1),), np.ones(1, np.int32)
        rows = [self.embed_query(page.elements[0].text).vectors * 127 for page in pages]
        return [RegionVectors(own, one, boxes, np.zeros(1, np.int32)) for own in rows]

    def embed_query(self, question: str, seeking: Seeking = "any") -> QueryVectors:
        self.asked.append((question, seeking))
        row = np.zeros((1, self.dim), np.float32)
        row[0, :2] = next(place for word, place in PLACES.items() if word in question)
        return QueryVectors(row, np.ones(1, np.float32), (question,))


@pytest.fixture
def visual() -> Plane:
    return Plane(visual_kind="space")


@pytest.fixture
def plane(tmp_path: Path, embedder: MiniLM, visual: Plane) -> Searcher:
    """A page for each word, in the order of PLACES."""
    collection = Collection.create("plane", tmp_path)
    store = Store(tmp_path / "db", embedder.dim, visual.packing)
    writer = Writer(store, embedder, visual, collection.path / "sources")
    doc = fakes.document("a.pdf", [["x"]] * len(PLACES))
    for number, word in enumerate(PLACES, 1):
        writer.add(fakes.parsed(doc.id, number, [f"A note on {word}."]))
    writer.finish(doc, Path("/nowhere"))
    writer.flush()
    return Searcher([LocalShard(store, embedder, lambda: visual)], embedder, lambda: visual)


def ranked(plane: Searcher, mode: Mode = "multi", **settings: object) -> list[int]:
    chosen = SearchSettings.model_validate({"full_text_weight": 0, **settings})
    found = plane.search("bread", image_queries=["ferry"], mode=mode, settings=chosen)
    return [page.number for page in found.pages]


def test_the_averaged_query_finds_what_lies_between_both(plane: Searcher) -> None:
    """Cosines with the mean (1, 1) / sqrt 2: bread and ferry .71, harbour (.6 + .8) / sqrt 2 = .99."""
    assert ranked(plane)[0] == 1
    assert ranked(plane, space_query="averaged")[0] == 3
    assert ranked(plane, space_query="averaged")[-1] == 4


@pytest.mark.parametrize(
    ("mode", "space_query", "asked"),
    [
        ("multi", "averaged", [("bread", "text"), ("ferry", "image")]),
        ("multi", "text", [("bread", "any")]),
        ("image", "averaged", [("ferry", "image")]),
    ],
)
def test_each_query_says_what_it_seeks(
    plane: Searcher, visual: Plane, mode: Mode, space_query: str, asked: list[tuple[str, Seeking]]
) -> None:
    visual.asked.clear()
    ranked(plane, mode, space_query=space_query)
    assert visual.asked == asked


def test_the_mean_of_two_queries_has_unit_length() -> None:
    found = mean_query(Plane().embed_query("bread"), Plane().embed_query("harbour"))
    assert found.vectors[0, :2] == pytest.approx(np.array([1.6, 0.8]) / np.hypot(1.6, 0.8))
