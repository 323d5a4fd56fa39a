"""Which element a box that a model drew stands for: thresholds, what the model is shown, what it costs."""

import json
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest
from PIL import Image

from indexing import BBox, Collection, Element, NoVisualEmbedder
from rag import RagSettings
from rag.attribution.localize import BY_WORDS, localizer_of
from rag.attribution.localize.drawn import VisaLocalizer
from rag.attribution.localize.patches import PatchLocalizer
from rag.errors import NoModel, ReplyUnusable
from rag.usage import Usage
from tests.support import fakes
from tests.support.fakes import ScriptedModel

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
