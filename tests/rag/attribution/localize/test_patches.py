"""The similarity map as boxes: areas of a grid, paragraphs of a scan, nothing where nothing stands out."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing import BBox, Collection, NoVisualEmbedder, Page, ParsedPage, Region
from indexing.embed.minilm import MiniLM
from rag.attribution.attribute import Checker
from rag.attribution.localize.patches import PatchLocalizer, areas
from rag.types import Evidence
from tests.support import fakes

ROWS, COLS = 8, 6


def grid(weights: dict[tuple[int, int], float], low: float = 0.2) -> tuple[list[BBox], np.ndarray]:
    """The patches of a page, row after row, all of weight `low` but the given ones."""
    places = [(r, c) for r in range(ROWS) for c in range(COLS)]
    boxes = [BBox(c / COLS, r / ROWS, (c + 1) / COLS, (r + 1) / ROWS) for r, c in places]
    return boxes, np.array([weights.get(place, low) for place in places], np.float32)


def test_patches_that_touch_are_one_box() -> None:
    (box,) = areas(*grid({(2, 1): 0.9, (2, 2): 0.85, (3, 2): 0.7, (6, 5): 0.4}))
    assert box.as_tuple() == pytest.approx((1 / 6, 2 / 8, 3 / 6, 4 / 8))


def test_areas_apart_are_boxes_of_their_own_the_highest_first() -> None:
    first, second = areas(*grid({(0, 0): 0.85, (7, 5): 0.9}))
    assert second.x0 == 0 == second.y0
    assert first.x1 == pytest.approx(1) == first.y1


@given(st.lists(st.floats(-1, 1, width=32), min_size=ROWS * COLS, max_size=ROWS * COLS))
def test_whatever_the_map_its_boxes_lie_on_the_page_and_apart(weights: list[float]) -> None:
    boxes, _ = grid({})
    found = areas(boxes, np.array(weights, np.float32))
    assert all(0 <= b.x0 < b.x1 <= 1 and 0 <= b.y0 < b.y1 <= 1 for b in found)
    assert len(set(found)) == len(found)
    if found:
        top = boxes[int(np.argmax(weights))]
        assert found[0].overlap(top) == pytest.approx(top.area)


SAID = ("The lighthouse was lit in 1887.", "Nine barrels of cider lie in the cellar.", "The bus leaves at ten.")


@pytest.fixture(scope="module")
def poster(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    """A page of three paragraphs, each seen as a region a little larger than its element."""
    made = fakes.collection(tmp_path_factory.mktemp("poster"), embedder)
    document = fakes.document("poster.pdf", [SAID])
    elements = tuple(fakes.element(text, document.id, 1, 4 * n) for n, text in enumerate(SAID, 1))
    boxes = [BBox(0.08, e.bbox.y0 - 0.01, 0.92, e.bbox.y1 + 0.01) for e in elements]
    with made.writer() as writer:
        regions = tuple(Region(b, t) for b, t in zip(boxes, SAID, strict=True))
        writer.add(ParsedPage(Page(document.id, 1, 420.0, 595.0), elements, regions))
        writer.finish(document, Path("/nowhere"))
        writer.flush()
    return made


def evidence(collection: Collection) -> list[Evidence]:
    (document,) = collection.documents()
    return [Evidence(f"E{n}", e, "p", 1.0) for n, e in enumerate(collection.page_elements(document.id, 1), 1)]


def test_the_region_that_says_it_is_boxed(poster: Collection) -> None:
    items = evidence(poster)
    sentence = Checker(localizer=PatchLocalizer(poster))(SAID[1], items[1:2], items)
    (citation,) = sentence.citations
    (box,) = citation.boxes
    assert box.as_tuple() == pytest.approx((0.08, 0.39, 0.92, 0.45), abs=1e-5)


def test_a_collection_without_pixels_cannot(plain: Collection) -> None:
    element = fakes.element("The mill was built in 1912.", plain.documents()[0].id)
    with pytest.raises(NoVisualEmbedder, match="--visual ocr_regions"):
        PatchLocalizer(plain)("The mill was built in 1912.", element)
