"""Boxes by words, by patches and by what a model drew."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from indexing import BBox, Cell, Collection, Element, NoVisualEmbedder, Page, ParsedPage, Region, Words
from indexing.embed.minilm import MiniLM
from rag import RagSettings
from rag.attribution.attribute import Checker
from rag.attribution.localizer import (
    BY_WORDS,
    CONFIDENT,
    PatchLocalizer,
    VisaLocalizer,
    areas,
    boxes_of,
    localize,
    localizer_of,
)
from rag.attribution.rules import compare
from rag.errors import NoModel, ReplyUnusable
from rag.types import Evidence
from rag.usage import Usage
from tests.support import fakes
from tests.support.fakes import ScriptedModel

TEXT = "The mill was built in 1887 by Anna Holm. It grinds rye for the whole valley. Its wheel turns from March."


def lined(text: str, per_line: int = 6, doc_page: int = 1, source: str = "layer") -> Element:
    """A paragraph of several lines."""
    made = fakes.element(text, page=doc_page)
    lines = np.arange(len(made.words), dtype=np.int32) // per_line
    boxes = made.words.boxes.copy()
    boxes[:, 1], boxes[:, 3] = 0.1 + 0.02 * lines, 0.115 + 0.02 * lines
    return replace(made, words=Words(made.words.spans, boxes, lines), source=source)  # type: ignore[arg-type]


def table(rows: list[list[str]], caption: str = "") -> Element:
    """A table whose first row is its head, a cell a tenth of the page high."""
    text, cells = "", []
    for r, row in enumerate(rows):
        text += "\n" if r else ""
        for c, value in enumerate(row):
            text += " | " if c else ""
            box = BBox(0.1 + 0.2 * c, 0.1 + 0.05 * r, 0.28 + 0.2 * c, 0.14 + 0.05 * r)
            cells.append(Cell(r, c, 1, 1, len(text), len(text) + len(value), box, r == 0))
            text += value
    return replace(fakes.element(text, kind="table"), cells=tuple(cells), caption=caption)


def inside(boxes: tuple[BBox, ...], element: Element, words: str) -> bool:
    """Whether the boxes hold all of some words of the element."""
    start = element.text.index(words)
    gold = boxes_of(element, start, start + len(words))
    return all(any(g.overlap(b) > 0.99 * g.area for b in boxes) for g in gold)


def test_the_lines_that_say_it_and_no_others() -> None:
    element = lined(TEXT)
    found = localize(
        "Anna Holm built the mill in 1887.", element, compare("The mill was built in 1887.", [element]).proofs[0][1]
    )
    assert inside(found.boxes, element, "1887")
    assert not inside(found.boxes, element, "wheel")
    assert len(found.boxes) < len(set(element.words.lines.tolist()))


def test_what_stands_between_two_proofs_is_boxed_with_them() -> None:
    element = lined("Rye is ground here. Nobody knows since when. Barley is ground in May.", per_line=4)
    rye, barley = (0, 19), (45, 70)
    assert inside(localize("Rye and barley are ground here.", element, [rye, barley]).boxes, element, "knows")
    far = lined(TEXT + " The cellar of the old house by the river holds cider in nine barrels.", per_line=4)
    proof = [(0, 39), (len(far.text) - 25, len(far.text))]
    assert not inside(localize("Anna Holm built the mill in 1887; nine barrels.", far, proof).boxes, far, "rye")


def test_the_cell_of_a_value_with_its_row_and_column_as_context() -> None:
    element = table([["Stage", "Seats", "Grade"], ["Merrow", "12", "A"], ["Quay", "9", "B"]])
    found = localize("Quay has 9 seats.", element, compare("Quay has 9 seats.", [element]).proofs[0][1])
    place = {element.text[c.start : c.end]: c.bbox for c in element.cells}
    assert found.boxes == (place["9"],)
    assert set(found.context) == {place["Seats"], place["Quay"]}


@pytest.mark.parametrize("spans", [[(-5, 3)], [(3, 1)], [(0, 10**6)], [(7, 7)], [(10**6, 10**6 + 1)], []])
def test_spans_outside_the_text_are_cut_or_ignored(spans: list[tuple[int, int]]) -> None:
    found = localize("The mill was built in 1887.", lined(TEXT), spans)
    assert all(0 <= b.x0 < b.x1 <= 1 for b in found.boxes)


@pytest.mark.parametrize(("source", "boxed"), [("layer", False), ("ocr", True)])
def test_letters_that_look_alike_are_one_only_where_they_were_recognised(source: str, boxed: bool) -> None:
    element = lined("The mill of Bi1le grinds rye. Nobody knows more than that.", per_line=4, source=source)
    found = localize("It is Bille that grinds rye.", element)
    assert inside(found.boxes, element, "rye")
    assert inside(found.boxes, element, "Bi1le") is boxed


COORDINATE = st.floats(-2, 3, width=32) | st.sampled_from([float("nan"), float("inf"), float("-inf"), 0.5])


@given(st.lists(st.tuples(COORDINATE, COORDINATE, COORDINATE, COORDINATE), min_size=20, max_size=20), st.integers(1, 7))
def test_all_boxes_are_on_the_page(boxes: list[tuple[float, float, float, float]], per_line: int) -> None:
    element = lined(TEXT, per_line)
    words = element.words
    whole = np.array((boxes * 2)[: len(words)], np.float32)
    odd = replace(element, words=Words(words.spans, whole, words.lines))
    for found in (*localize("It grinds rye for the whole valley.", odd).boxes, *boxes_of(odd, 0, len(TEXT))):
        assert 0 <= found.x0 < found.x1 <= 1
        assert 0 <= found.y0 < found.y1 <= 1


@given(st.text(max_size=60), st.text(max_size=80))
def test_any_sentence_on_any_text(sentence: str, text: str) -> None:
    found = localize(sentence, fakes.element(text))
    assert 0 <= found.confidence <= 1 + 1e-9
    assert found.confidence >= CONFIDENT or not found.boxes


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


CITED = replace(fakes.element("The mill."), bbox=BBox(0.1, 0.1, 0.5, 0.2))


@dataclass
class Wall:
    """A page that can be drawn, with its elements."""

    elements: tuple[Element, ...]

    def page_elements(self, doc_id: str, page: int) -> tuple[Element, ...]:
        assert (doc_id, page) == (CITED.doc_id, CITED.page)
        return self.elements

    def draw_page(self, doc_id: str, page: int, width: int = 1400) -> Image.Image:
        assert (doc_id, page) == (CITED.doc_id, CITED.page)
        return Image.new("RGB", (width, width), "white")


def localizer(model: ScriptedModel, *elements: Element, **more: int) -> VisaLocalizer:
    return VisaLocalizer(Wall(elements or (CITED,)), model, "relative_1000", lambda image: image, **more)  # type: ignore[arg-type]


def points(*corners: int) -> ScriptedModel:
    return ScriptedModel(lambda _: json.dumps({"found": True, "box": corners}))


@pytest.mark.parametrize(("right", "boxed"), [(244, True), (232, True), (216, False)])
def test_a_box_stands_for_an_element_from_an_iou_of_three_tenths_on(right: int, boxed: bool) -> None:
    found = localizer(points(100, 100, right, 200))("The mill.", CITED)
    assert found.boxes == ((CITED.bbox,) if boxed else ())
    assert found.confidence == pytest.approx((right - 100) / 400 if boxed else 0)


def test_what_a_reply_costs_is_counted_where_it_is_of_no_use_too() -> None:
    failing = localizer(ScriptedModel(lambda _: ReplyUnusable("no box", usage=Usage(7, 3, 1, 1))))
    assert failing("The mill.", CITED).boxes == ()
    assert (failing.usage.prompt_tokens, failing.usage.calls) == (7, 1)
    good = localizer(points(100, 100, 500, 200))
    good("The mill.", CITED)
    good("The mill.", CITED)
    assert good.usage.calls == 2


def test_a_model_that_finds_nothing_has_no_box_whatever_it_writes() -> None:
    model = ScriptedModel(lambda _: json.dumps({"found": False, "box": [100, 100, 500, 200]}))
    assert localizer(model)("The mill.", CITED).boxes == ()


SETTINGS = RagSettings.model_validate(
    {"model": {"base_url": "http://127.0.0.1:9/v1", "name": "m", "boxes": "relative_1000"}}
)


def made(collection: object, **settings: Any) -> object:
    chosen = SETTINGS.model_copy(update=settings)
    return localizer_of(cast("Collection", collection), chosen, lambda: ScriptedModel(lambda _: ""))


def test_words_vectors_or_the_models_own_boxes(seen: Collection) -> None:
    assert made(seen, localizer="element") is BY_WORDS
    assert isinstance(made(seen, localizer="patch"), PatchLocalizer)
    assert isinstance(made(seen, localizer="model"), VisaLocalizer)


def test_vectors_need_pixels_and_boxes_a_model(plain: Collection) -> None:
    with pytest.raises(NoVisualEmbedder):
        made(plain, localizer="patch")
    with pytest.raises(NoModel, match="localizer model"):
        made(plain, localizer="model", model=None)
