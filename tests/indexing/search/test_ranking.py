"""Views of the same elements put together (on one scale, in one space, by an averaged query), and similarity maps."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from indexing import BBox, Mode, ParsedPage, QueryVectors, RegionVectors, SearchSettings
from indexing.embed.minilm import MiniLM
from indexing.embed.protocol import Seeking
from indexing.search import candidates as search
from indexing.search.page_vectors import ORDINALS, ScoredElements, region_scores
from indexing.search.searcher import Searcher, on_one_scale
from indexing.store.database import Store
from indexing.store.writer import Writer
from tests.indexing.patchwork import Patchwork
from tests.support import fakes


def searcher_of(folder: Path, embedder: MiniLM, visual: Patchwork, pages: Sequence[ParsedPage]) -> Searcher:
    """Store the pages of one document, and return a search of them."""
    store = Store(folder / "db", embedder.dim, visual.packing)
    writer = Writer(store, embedder, visual, folder / "sources")
    for page in pages:
        writer.add(page)
    writer.finish(fakes.document("a.pdf", [["x"]] * len(pages)), Path("/nowhere"))
    writer.flush()
    return Searcher(store, embedder, lambda: visual)


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
    pages, doc = list[ParsedPage](), fakes.document("a.pdf", [["x"]] * 3)
    texts = (["A caption.", "Fig."], ["The lighthouse was lit.", "It rained."], ["The mill grinds rye."])
    for number, (own, image) in enumerate(zip(texts, (b"lighthouse", b"grey", b"mill"), strict=True), 1):
        page = replace(fakes.parsed(doc.id, number, own), image=image)
        if number == 1:
            picture = replace(page.elements[1], kind="picture", text="a tower: lighthouse")
            page = replace(page, elements=(page.elements[0], picture))
        pages.append(page)
    return searcher_of(tmp_path, embedder, Space(visual_kind="space"), pages)


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
    doc = fakes.document("a.pdf", [["x"]] * len(PLACES))
    pages = [fakes.parsed(doc.id, number, [f"A note on {word}."]) for number, word in enumerate(PLACES, 1)]
    return searcher_of(tmp_path, embedder, visual, pages)


def ranked(plane: Searcher, mode: Mode = "multi", **settings: object) -> list[int]:
    chosen = SearchSettings.model_validate({"full_text_weight": 0, **settings})
    found = plane.search("bread", image_queries=["ferry"], mode=mode, settings=chosen)
    return [page.number for page in found.pages]


@pytest.mark.parametrize(
    ("mode", "space_query", "asked"),
    [
        ("multi", "averaged", [("bread", "text"), ("ferry", "image")]), ("multi", "text", [("bread", "any")]),
        ("image", "averaged", [("ferry", "image")]),
    ],
)  # fmt: skip
def test_each_query_says_what_it_seeks(
    plane: Searcher, visual: Plane, mode: Mode, space_query: str, asked: list[tuple[str, Seeking]]
) -> None:
    visual.asked.clear()
    ranked(plane, mode, space_query=space_query)
    assert visual.asked == asked


def test_the_map_is_the_weighted_mean_of_the_best_cosines() -> None:
    vectors = np.array([[127, 0], [0, 127], [0, 127]], np.int8)
    seen = RegionVectors(vectors, np.array([2, 0, 1], np.int32), (BBox(0, 0, 1, 0.1),) * 3)
    query = QueryVectors(np.eye(2, dtype=np.float32), np.array([0.25, 0.75], np.float32), ("a", "b"))
    assert region_scores(seen, query).tolist() == pytest.approx([1.0, 0.0, 0.75])
