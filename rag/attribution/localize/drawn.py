"""Boxes that a vision model draws itself (VISA, Ma et al. 2024), read by its convention and moved to an element.

`VisaLocalizer` asks where on its page a checked sentence is proven. The model's own box is never shown as it is: the
nearest element takes its place, or there is no box.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import Field, WithJsonSchema

from indexing import BBox, Collection, Element, IndexingError
from rag.attribution.localize.words import BY_WORDS
from rag.errors import ModelError, NoModel
from rag.llm import Boxes, ChatModel, Form, Message, ModelSettings, complete_as, fence, fit_image, load_prompt
from rag.settings import RagSettings
from rag.types import Localizer, Located
from rag.usage import NO_USAGE

if TYPE_CHECKING:
    from PIL import Image

_MAX_BOX_TOKENS = 160
_BOX = load_prompt("visa_box", "sentence", "convention")
SNAP = 0.3
"""The least IoU of a model's box with the element that takes its place."""


INSIDE = 0.5
"""The least share of the smaller of that element and the cited one that both cover."""


CONVENTIONS: dict[Boxes, str] = {
    "relative_1000": "[x0, y0, x1, y1], left, top, right, bottom, in thousandths of width and height (0 to 1000)",
    "absolute_pixels": "[x0, y0, x1, y1], left, top, right, bottom, in pixels of the image",
    "relative_1000_yx": "[y0, x0, y1, x1], top, left, bottom, right, in thousandths of height and width (0 to 1000)",
}


Picture = TypeVar("Picture")
Corners = Annotated[
    list[Annotated[float, WithJsonSchema({"type": "integer", "minimum": 0, "maximum": 9999})]],
    Field(min_length=4, max_length=4),
]
"""The four numbers of a box, in the order of the convention."""


Fit = Callable[["Image.Image"], "Image.Image"]
"""A function that brings an image to the size at which it is sent: boxes in pixels are pixels of that size."""


class _Box(Form):
    found: bool
    box: Corners


def box_of(corners: Sequence[float], boxes: Boxes, size: tuple[int, int]) -> BBox | None:
    """Return a model's four numbers as fractions of the page; None for numbers that are no box on it.

    `size` is width and height in pixels of the image as it was sent. Numbers beyond the page are brought back to its
    edge; corners that are inverted, of no size, or not numbers are no box.
    """
    if len(corners) != 4:
        return None
    try:
        a, b, c, d = (float(v) for v in corners)
    except (TypeError, ValueError, OverflowError):
        return None
    x0, y0, x1, y1 = (b, a, d, c) if boxes == "relative_1000_yx" else (a, b, c, d)
    if not all(map(math.isfinite, (x0, y0, x1, y1))) or x0 >= x1 or y0 >= y1:
        return None
    width, height = size if boxes == "absolute_pixels" else (1000, 1000)
    return BBox.from_page(x0, y0, x1, y1, width, height)


def snap_to_element(box: BBox, elements: Iterable[Element], least: float = SNAP) -> Element | None:
    """Return the element whose IoU with a box is highest, the first of equals; None when it is below `least`."""
    best, highest = None, max(least, 1e-9)
    for element in elements:
        iou = box.iou(element.bbox)
        if iou > highest or (best is None and iou >= highest):
            best, highest = element, iou
    return best


class VisaLocalizer:
    """The localizer that asks the model where on its page a sentence is proven. `usage` is the cost so far."""

    notes: tuple[str, ...] = ()

    def __init__(
        self, collection: Collection, model: ChatModel, boxes: Boxes, fit: Fit, page_width: int = 1275
    ) -> None:
        """Keep the settings: `boxes` is how the model writes boxes, `fit` how an image is sized before it is sent.

        Pages are drawn `page_width` pixels wide before that.
        """
        self._collection = collection
        self._model = model
        self._boxes = boxes
        self._fit = fit
        self._page_width = page_width
        self.usage = NO_USAGE

    def __call__(self, sentence: str, element: Element, spans: Sequence[tuple[int, int]] = ()) -> Located:  # noqa: ARG002  it looks
        """Return the box of the element under the model's box, if it overlaps the checked element; else no box."""
        nothing = Located(element.id, element.page, (), (), 0.0)
        box = self._draw_box(sentence, element)
        if box is None:
            return nothing
        target = snap_to_element(box, self._collection.page_elements(element.doc_id, element.page))
        if target is None or target.bbox.overlap(element.bbox) < INSIDE * min(target.bbox.area, element.bbox.area):
            return nothing
        return Located(element.id, element.page, (target.bbox,), (), box.iou(target.bbox))

    def _draw_box(self, sentence: str, element: Element) -> BBox | None:
        """Return the box that the model draws; None when it draws nothing, or fails."""
        if not self._model.capacity.images:
            return None
        try:
            image = self._fit(self._collection.draw_page(element.doc_id, element.page, width=self._page_width))
            words = _BOX.fill(sentence=fence(sentence), convention=CONVENTIONS[self._boxes])
            reply, usage = complete_as(self._model, [Message("user", (image, words))], _Box, _MAX_BOX_TOKENS)
        except ModelError as error:
            self.usage += error.usage
            return None
        except IndexingError:
            return None
        self.usage += usage
        return box_of(reply.box, self._boxes, image.size) if reply.found else None


def localizer_of(collection: Collection, settings: RagSettings, model: Callable[[], ChatModel]) -> Localizer:
    """Return the localizer; `model` is called only where the settings want the model's own boxes.

    Raises NoVisualEmbedder for `patch` where the collection has no pixels, and NoModel for `model` where no model is
    named whose way of writing boxes is known.
    """
    if settings.localizer == "element":
        return BY_WORDS
    if settings.localizer == "patch":
        from rag.attribution.localize.patches import PatchLocalizer

        collection.check_mode("image")
        return PatchLocalizer(collection)
    served_model = drawing_model(settings, "localizer model")
    fit = partial(fit_image, settings=served_model)
    return VisaLocalizer(collection, model(), served_model.boxes, fit, settings.writing.page_width)


def drawing_model(settings: RagSettings, who: str) -> ModelSettings:
    """Return the model's settings, which say how it writes boxes. Raises NoModel, saying `who` needs one, without."""
    if settings.model is None:
        raise NoModel(
            f"{who} needs rag.model in the profile, with the key boxes, which says how the model writes boxes"
        )
    return settings.model
