"""Views of the same elements put together: on one scale, or in one space."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from indexing import Collection, RegionVectors, SearchSettings
from indexing.embed.minilm import MiniLM
from indexing.embed.protocol import QueryVectors, Seeking
from indexing.search import shard as search
from indexing.search.page_vectors import ORDINALS, ScoredElements
from indexing.search.ranking import combine_views, on_one_scale
from indexing.search.searcher import Searcher
from indexing.search.shard import LocalShard
from indexing.store.database import Store
from indexing.store.writer import Writer
from indexing.types import BBox, ParsedPage
from tests.indexing.patchwork import Patchwork
from tests.support import fakes


def pages(scores: list[float]) -> ScoredElements:
    """One element a page, which scores like its page."""
    own = np.array(scores, np.float32)[:, None]
    return ScoredElements(np.arange(1, len(scores) + 1, dtype=np.int64) * ORDINALS + 1, own, own)


def test_scores_of_another_model_are_brought_to_the_scale_of_the_texts() -> None:
    text, pixels = pages([0.4, 0.5, 0.6]), pages([10.0, 30.0, 20.0])
    fused = on_one_scale({"text": text, "visual": pixels})
    assert fused["text"] is text
    assert fused["visual"].page[:, 0] == pytest.approx([0.4, 0.6, 0.5], abs=1e-5)
    assert fused["visual"].own[:, 0] == pytest.approx([0.4, 0.6, 0.5], abs=1e-5)


def test_pages_that_look_alike_are_only_shifted() -> None:
    fused = on_one_scale({"text": pages([0.4, 0.6]), "visual": pages([7.0, 7.0])})
    assert fused["visual"].page[:, 0] == pytest.approx([0.5, 0.5], abs=1e-5)


def test_views_without_a_page_in_common_stay_as_they_are() -> None:
    nothing = ScoredElements(np.zeros(0, np.int64), np.zeros((0, 1), np.float32), np.zeros((0, 1), np.float32))
    assert on_one_scale({"text": nothing, "visual": pages([1.0])})["visual"].own[0, 0] == 1.0


def test_a_page_of_which_only_a_picture_was_seen_is_not_worse_for_it() -> None:
    text, visual = pages([0.8, 0.8]), pages([0.1])
    keys = text.keys
    both = combine_views(
        {"text": text, "visual": visual}, {"text": 0.5, "visual": 0.5}, keys, np.arange(2), np.ones(2, int), 0.0
    )
    assert both[:, 0] == pytest.approx([0.8, 0.8])


class Space(Patchwork):
    """A universal embedder of three directions: mills, lighthouses, and neither."""

    def embed_pages(self, pages: list[ParsedPage]) -> list[RegionVectors]:
        found = []
        for page in pages:
            words = [page.image.decode(), *(e.text for e in page.elements)]
            boxes = (BBox(0, 0, 1, 1), *(e.bbox for e in page.elements))
            owners = np.arange(-1, len(page.elements), dtype=np.int32)
            rows = np.stack([self._of(text) for text in words]) * 127
            found.append(RegionVectors(rows, np.ones(len(words), np.int32), boxes, owners))
        return found

    def embed_query(self, question: str, seeking: Seeking = "any") -> QueryVectors:  # noqa: ARG002  it has no instruction
        return QueryVectors(self._of(question)[None], np.ones(1, np.float32), (question,))

    def _of(self, text: str) -> np.ndarray:
        found = np.zeros(self.dim, np.float32)
        found[0 if "mill" in text else 1 if "lighthouse" in text else 2] = 1
        return found


@pytest.fixture
def mixed(tmp_path: Path, embedder: MiniLM) -> Searcher:
    """Page 1 shows a lighthouse, in a picture; page 2 tells of one; page 3 of a mill."""
    visual = Space(visual_kind="space")
    collection = Collection.create("mixed", tmp_path)
    store = Store(tmp_path / "db", embedder.dim, visual.packing)
    at_work = Writer(store, embedder, visual, collection.path / "sources")
    doc = fakes.document("a.pdf", [["x"]] * 3)
    texts = (["A caption.", "Fig."], ["The lighthouse was lit.", "It rained."], ["The mill grinds rye."])
    for number, (own, image) in enumerate(zip(texts, (b"lighthouse", b"grey", b"mill"), strict=True), 1):
        page = replace(fakes.parsed(doc.id, number, own), image=image)
        if number == 1:
            picture = replace(page.elements[1], kind="picture", text="a tower: lighthouse")
            page = replace(page, elements=(page.elements[0], picture))
        at_work.add(page)
    at_work.finish(doc, Path("/nowhere"))
    at_work.flush()
    return Searcher([LocalShard(store, embedder, lambda: visual)], embedder, lambda: visual)


def test_in_one_space_texts_and_pictures_compete_in_one_search(mixed: Searcher) -> None:
    found = mixed.search("Where is the lighthouse?", mode="multi", limit=3)
    assert {h.element.text for h in found.hits[:2]} == {"a tower: lighthouse", "The lighthouse was lit."}


def test_in_one_space_image_mode_knows_texts_by_their_page_alone(mixed: Searcher) -> None:
    found = mixed.search("Where is the lighthouse?", mode="image", limit=5)
    assert found.hits[0].element.page == 1
    assert found.pages[0].number == 1
    lit = next(h for h in found.hits if h.element.text == "The lighthouse was lit.")
    rain = next(h for h in found.hits if h.element.text == "It rained.")
    assert lit.score == pytest.approx(rain.score)


def test_beyond_a_few_pages_sketches_choose_the_candidates(mixed: Searcher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "ALL_PAGES", 1)
    one = SearchSettings(sketch_candidates=1, text_candidates=0)
    for question, page in (("Where is the mill?", 3), ("Where is the lighthouse?", 1)):
        found = mixed.search(question, mode="multi", settings=one)
        assert [p.number for p in found.pages] == [page]
