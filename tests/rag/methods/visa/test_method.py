"""Method visa: pages are shown, boxes are drawn, and the element below one is cited."""

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from indexing import BBox, Collection
from indexing.embed.minilm import MiniLM
from rag import Pipeline, RagSettings
from rag.attribution.attribute import Checker
from rag.attribution.localizer import VisaLocalizer, box_of, snap_to_element
from rag.errors import ImageRefused, OptionRefused, PromptTooLong, ReplyUnusable
from rag.llm.chat import Message
from rag.llm.images import images_of
from rag.llm.settings import Boxes, ModelSettings
from rag.methods.visa import Candidate, prompt_parts, visa_answer
from rag.types import Evidence
from tests.support import documents, fakes
from tests.support.asking import Client
from tests.support.fakes import ScriptedModel, text_of
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import says
from tests.ui import real_collection

SERVED = ModelSettings(base_url="http://127.0.0.1:9/v1", name="scripted")
SETTINGS = RagSettings(model=SERVED, method="visa", judge="rules")
ASK = "When was the mill built?"
NOWHERE = BBox(0.9, 0.9, 0.99, 0.99)


@pytest.fixture(scope="module")
def mill(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    folder = tmp_path_factory.mktemp("pointing")
    made = fakes.collection(folder / "home", embedder)
    real_collection.shelve(made, documents.pdf(folder / "mill.pdf", real_collection.LINES))
    return made


def line(collection: Collection, number: int) -> BBox:
    (document,) = collection.documents()
    return collection.page_elements(document.id, 1)[number].bbox


def answering(text: str, box: BBox, page: int = 1, answerable: bool = True) -> ScriptedModel:
    corners = [round(v) for v in box.to_page(1000, 1000)]
    said = {"answerable": answerable, "answer": text, "page": page, "box": corners}
    return ScriptedModel(lambda _: json.dumps(said))


@pytest.mark.slow
@pytest.mark.gate
def test_the_element_under_the_box_is_cited(mill: Collection) -> None:
    model = answering("The mill was built in 1887.", line(mill, 0))
    answer = Pipeline(mill, SETTINGS, model=model).answer(ASK)
    (sentence,) = answer.sentences
    (citation,) = sentence.citations
    assert (sentence.verdict, citation.bbox) == ("confirmed", line(mill, 0))
    assert citation.label in {e.label for e in answer.evidence}
    assert (answer.method, answer.usage.calls, len(images_of(model.asked[0]))) == ("visa", 1, 1)
    assert {"retrieve", "draw", "answer", "check"} <= answer.timings.keys()


@pytest.mark.slow
def test_a_box_on_nothing_is_pointed_to_what_proves_it(mill: Collection) -> None:
    answer = Pipeline(mill, SETTINGS, model=answering("The mill was built in 1887.", NOWHERE)).answer(ASK)
    assert [c.bbox for c in answer.citations] == [line(mill, 0)]


@pytest.mark.slow
@pytest.mark.parametrize("number", [pytest.param(0, marks=pytest.mark.gate), 1])
def test_what_the_pages_do_not_say_has_no_box_wherever_the_model_points(mill: Collection, number: int) -> None:
    answer = Pipeline(mill, SETTINGS, model=answering("The mill was built in 1888.", line(mill, number))).answer(ASK)
    assert [(s.verdict, s.proof) for s in answer.sentences] == [("unconfirmed", ())]
    assert all(citation.role == "unconfirmed" for citation in answer.citations)


@pytest.mark.slow
@pytest.mark.gate
def test_pages_that_are_named_are_shown_in_their_order(tmp_path: Path, embedder: MiniLM) -> None:
    """All of them, whatever was found, or none: a model without room for all is not asked."""
    mills, found, _ = real_collection.mill(tmp_path, embedder, "old.pdf", "new.pdf")
    old, new = (document.id for document in found)
    for order in ([old, new], [new, old], [new, old, new]):
        model = answering("The mill was built in 1887.", NOWHERE)
        pages = [(doc_id, 1) for doc_id in order]
        answer = Pipeline(mills, SETTINGS, model=model).answer("Why?", pages=pages)
        assert len(images_of(model.asked[0])) == len(order)
        assert answer.drawn is not None
        assert answer.drawn.doc_id == order[0]
    narrow = ScriptedModel(model._says, images=2)
    with pytest.raises(ImageRefused, match="3 pages are to be shown, and scripted takes only 2 images"):
        Pipeline(mills, SETTINGS, model=narrow).answer(ASK, pages=pages)
    assert narrow.asked == []
    with pytest.raises(OptionRefused, match="method quote does not have the option 'pages'"):
        Pipeline(mills, SETTINGS).answer(ASK, pages=pages, method="quote")


def test_pages_that_are_gone_are_noted_and_nothing_is_asked(town: Collection) -> None:
    model = answering("In 1887.", NOWHERE)
    answer = Pipeline(town, SETTINGS, model=model).answer(ASK)
    assert answer.abstained
    assert model.asked == []
    assert "was not shown: the copy of" in answer.notes[0]


CONVENTIONS: tuple[Boxes, ...] = ("relative_1000", "absolute_pixels", "relative_1000_yx")
SIZE = (640, 896)


def as_model(box: BBox, boxes: Boxes, size: tuple[int, int] = SIZE) -> list[float]:
    """A box as a model of that convention writes it."""
    x0, y0, x1, y1 = box.to_page(*(size if boxes == "absolute_pixels" else (1000, 1000)))
    return [y0, x0, y1, x1] if boxes == "relative_1000_yx" else [x0, y0, x1, y1]


def test_each_convention_on_asymmetric_values() -> None:
    assert box_of([100, 200, 300, 700], "relative_1000", SIZE) == BBox(0.1, 0.2, 0.3, 0.7)
    assert box_of([100, 200, 300, 700], "relative_1000_yx", SIZE) == BBox(0.2, 0.1, 0.7, 0.3)
    assert box_of([64, 224, 320, 448], "absolute_pixels", SIZE) == BBox(0.1, 0.25, 0.5, 0.5)


@pytest.mark.parametrize("boxes", CONVENTIONS)
@pytest.mark.parametrize(
    "corners",
    [
        [300, 200, 100, 700], [100, 700, 300, 200], [100, 200, 100, 700], [100, 200, 300, 200], [0, 0, 0, 0],
        [math.nan, 0, 1, 1], [0, 0, math.inf, 1], [1, 2, 3], [1, 2, 3, 4, 5], [], [-50, -50, -1, -1],
        [2000, 2000, 3000, 3000], [10**400, 0, 10**401, 1],
    ],
)  # fmt: skip
def test_what_is_no_box(corners: list[float], boxes: Boxes) -> None:
    assert box_of(corners, boxes, SIZE) is None


def test_numbers_beyond_the_page_are_brought_back_to_its_edge() -> None:
    assert box_of([-20, 500, 1030, 1200], "relative_1000", SIZE) == BBox(0.0, 0.5, 1.0, 1.0)


EDGE = st.floats(0, 1).map(lambda v: round(v, 4))
BOXES = st.tuples(EDGE, EDGE, EDGE, EDGE).filter(lambda b: b[0] < b[2] and b[1] < b[3]).map(lambda b: BBox(*b))


NUMBER = st.floats() | st.integers(-(10**6), 10**6) | st.integers(10**300, 10**310)


@given(st.lists(NUMBER, max_size=6), st.sampled_from(CONVENTIONS))
def test_whatever_it_writes_is_a_box_on_the_page_or_none(corners: list[float], boxes: Boxes) -> None:
    found = box_of(corners, boxes, SIZE)
    assert found is None or (0 <= found.x0 < found.x1 <= 1 and 0 <= found.y0 < found.y1 <= 1)


ELEMENTS = [fakes.element(f"Paragraph {n}.", ordinal=2 * n) for n in range(1, 6)]


@given(BOXES, st.floats(0.05, 0.95))
def test_the_nearest_element_takes_its_place_or_none_does(box: BBox, least: float) -> None:
    found = snap_to_element(box, ELEMENTS, least)
    ious = [box.iou(e.bbox) for e in ELEMENTS]
    if max(ious) < least:
        assert found is None
    else:
        assert found is not None
        assert box.iou(found.bbox) == max(ious)


# ---- as a localizer ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> tuple[Collection, list[Evidence]]:
    """A page that can be drawn, of two lines, with an element for each."""
    folder = tmp_path_factory.mktemp("visa")
    made = fakes.collection(folder / "home", embedder)
    document, elements = real_collection.shelve(made, documents.pdf(folder / "mill.pdf", real_collection.LINES))
    return made, [Evidence(f"E{n}", e, document.name, 1.0) for n, e in enumerate(elements, 1)]


def fit(image: Image.Image) -> Image.Image:
    return image.resize(SIZE)


def points(box: BBox | None, boxes: Boxes) -> ScriptedModel:
    drawn = [0, 0, 0, 0] if box is None else [round(v) for v in as_model(box, boxes)]
    return ScriptedModel(lambda _: json.dumps({"found": box is not None, "box": drawn}))


@pytest.mark.slow
@pytest.mark.parametrize("boxes", [pytest.param(CONVENTIONS[0], marks=pytest.mark.gate), *CONVENTIONS[1:]])
def test_what_it_points_at_is_boxed_as_the_element_is(shelf: tuple[Collection, list[Evidence]], boxes: Boxes) -> None:
    collection, items = shelf
    model = points(items[0].element.bbox, boxes)
    localizer = VisaLocalizer(collection, model, boxes, fit)
    sentence = Checker(localizer=localizer)(real_collection.LINES[0], items[:1], items)
    assert [c.boxes for c in sentence.citations] == [(items[0].element.bbox,)]
    assert [image.size for image in images_of(model.asked[0])] == [SIZE]
    assert f"| {real_collection.LINES[0]}" in text_of(model.asked[0])
    assert localizer.usage.calls == 1


@pytest.mark.slow
@pytest.mark.gate
def test_what_it_points_at_elsewhere_is_not_boxed(shelf: tuple[Collection, list[Evidence]]) -> None:
    collection, items = shelf
    elsewhere = [items[1].element.bbox, BBox(0.9, 0.9, 1.0, 1.0), BBox(0, 0, 1, 1), None]
    for box in elsewhere:
        localizer = VisaLocalizer(collection, points(box, "relative_1000"), "relative_1000", fit)
        assert localizer(real_collection.LINES[0], items[0].element).boxes == ()


# ---- as a way of answering -----------------------------------------------------------------------------------------

PAGES = [Candidate("d", n, Image.new("RGB", (300, 400), "white")) for n in (4, 9)]


def answers(**said: object) -> ScriptedModel:
    whole = {"answerable": True, "answer": "In 1887.", "page": 2, "box": [100, 200, 300, 700], **said}
    return ScriptedModel(lambda _: json.dumps(whole))


@pytest.mark.parametrize("said", [{"answerable": False}, {"answer": "  "}])
def test_no_answer(said: dict[str, object]) -> None:
    found = visa_answer(answers(**said), "When?", PAGES, "relative_1000", fit)
    assert (found.text, found.page, found.box) == ("", None, None)
    assert found.usage.calls == 1


@pytest.mark.parametrize("page", [0, 3, 64])
def test_a_page_that_was_not_shown_is_an_error(page: int) -> None:
    with pytest.raises(ReplyUnusable, match=f"refers to page {page}, but was shown 2"):
        visa_answer(answers(page=page), "When?", PAGES, "relative_1000", fit)


SAID = {"answerable": True, "answer": "In 1887.", "page": 1, "box": [100, 200, 300, 700]}


def test_a_page_without_room_is_left_out(serve: Callable[..., ScriptedServer], client: Callable[..., Client]) -> None:
    server = serve(says(SAID))
    prompt = prompt_parts("When?", [fit(page.image) for page in PAGES], "relative_1000")
    whole = client(server).tokens([Message("user", prompt)]) + 640
    found = visa_answer(client(server, context_tokens=whole - 1), "When?", PAGES, "relative_1000", fit)
    assert (found.text, found.page_count, found.usage.calls) == ("In 1887.", 1, 1)
    assert [len(request.images) for request in server.asked] == [1]
    assert "Page 2:" not in server.asked[0].text


def test_no_room_for_a_page_is_an_error(serve: Callable[..., ScriptedServer], client: Callable[..., Client]) -> None:
    model = client(serve(), context_tokens=700)
    with pytest.raises(PromptTooLong, match=r"one page alone .* lower rag\.model\.max_pixels"):
        visa_answer(model, "When?", PAGES, "relative_1000", fit)
