"""Boxes that a vision model draws itself (VISA, Ma et al. 2024), read by its convention and moved to an element.

In two places: as a localizer, which asks where on its page a checked sentence is proven; and as a way of answering,
which shows one page or several candidates and asks for the answer with its page and box, or for "no answer". What the
model draws is never shown as it is: the nearest element takes its place, or there is no box. (It is measured as it is:
the answer keeps it as `drawn`.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import Field, WithJsonSchema

from indexing import BBox, Collection, Element, IndexingError
from rag.chat import NO_USAGE, ChatModel, Message, Usage
from rag.errors import ModelError, PromptTooLong, ReplyUnusable
from rag.fencing import fenced
from rag.forms import Form, filled, read_form
from rag.model_settings import Boxes
from rag.prompting import load_prompt
from rag.types import Located

if TYPE_CHECKING:
    from PIL import Image

SNAP = 0.3
"""Least IoU of a model's box with the element that takes its place."""
INSIDE = 0.5
"""Least share of the smaller of that element and the cited one that both cover."""
_MAX_TOKENS, _MAX_BOX_TOKENS = 640, 160
CONVENTIONS: dict[Boxes, str] = {
    "relative_1000": "[x0, y0, x1, y1], left, top, right, bottom, in thousandths of width and height (0 to 1000)",
    "absolute_pixels": "[x0, y0, x1, y1], left, top, right, bottom, in pixels of the image",
    "relative_1000_yx": "[y0, x0, y1, x1], top, left, bottom, right, in thousandths of height and width (0 to 1000)",
}
_ANSWER = load_prompt("visa_answer", "question", "pages", "convention")
_BOX = load_prompt("visa_box", "sentence", "convention")

Picture = TypeVar("Picture")
_Corner = Annotated[float, WithJsonSchema({"type": "integer", "minimum": 0, "maximum": 9999})]
_Corners = Annotated[list[_Corner], Field(min_length=4, max_length=4)]
Fit = Callable[["Image.Image"], "Image.Image"]
"""An image at the size at which it is sent: boxes in pixels are pixels of that."""


class _Box(Form):
    found: bool
    box: _Corners


class _Answer(Form):
    answerable: bool
    answer: str = Field(max_length=600)
    page: int = Field(ge=0, le=64)
    box: _Corners


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that is shown, in RGB, among the candidates."""

    doc_id: str
    number: int
    image: Image.Image


@dataclass(frozen=True, slots=True)
class Pointed:
    """What a model answered and the page it pointed at; `box` is None when what it drew is no box on that page.

    `text` is empty, and `page` None, when it finds no answer. `shown` counts the pages that there was room for: of the
    candidates, the first.
    """

    text: str
    page: Candidate | None
    box: BBox | None
    usage: Usage
    shown: int = 0


def box_of(corners: Sequence[float], boxes: Boxes, size: tuple[int, int]) -> BBox | None:
    """A model's four numbers as fractions of the page; None for what is not a box on it.

    `size` is width and height in pixels of the image as it was sent. Numbers beyond the page are brought back to its
    edge; what is inverted, of no size, or not a number is no box.
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


def snapped(box: BBox, elements: Iterable[Element], least: float = SNAP) -> Element | None:
    """The element whose IoU with a box is highest, the first of equals; None when it is below `least`."""
    best, highest = None, max(least, 1e-9)
    for element in elements:
        iou = box.iou(element.bbox)
        if iou > highest or (best is None and iou >= highest):
            best, highest = element, iou
    return best


def visa_answer(model: ChatModel, question: str, pages: Sequence[Candidate], boxes: Boxes, fit: Fit) -> Pointed:
    """Ask a question about one page, or about several of which one may answer.

    Pages for which the model has no room are left out, the last first. Raises ModelError; PromptTooLong when there is
    not even room for one.
    """
    shown = pages[: max(1, min(model.room.images, 64))]
    if not shown:
        return Pointed("", None, None, NO_USAGE)
    images, spent = [fit(page.image) for page in shown], NO_USAGE
    while True:
        try:
            answer, usage = filled(model, [Message("user", asked(question, images, boxes))], _Answer, _MAX_TOKENS)
        except PromptTooLong as error:  # by the client's estimate, which costs no call, or by the server's count
            spent += error.usage
            if len(images) == 1:
                raise PromptTooLong(
                    f"{error}; one page alone takes that: lower rag.model.max_pixels or rag.writing.page_width",
                    usage=spent,
                ) from None
            images.pop()
        else:
            spent += usage
            text, number, box = _answered(answer, [image.size for image in images], boxes, spent)
            return Pointed(text, shown[number - 1] if number else None, box, spent, len(images))


def asked(question: str, images: Sequence[Picture], boxes: Boxes) -> tuple[str | Picture, ...]:
    """What is asked about the images of pages, or about what stands for each of them, in the order of a message."""
    parts: list[str | Picture] = []
    for number, image in enumerate(images, 1):
        parts += [f"Page {number}:", image]
    return *parts, _ANSWER.filled(question=fenced(question), pages=len(images), convention=CONVENTIONS[boxes])


def read_answer(text: str, sizes: Sequence[tuple[int, int]], boxes: Boxes) -> tuple[str, int, BBox | None]:
    """The answer of a reply about pages sent in these sizes, the number of its page, from 1, and its box, as
    `visa_answer` reads them: "" and 0 when it finds no answer. Raises ReplyUnusable.
    """
    return _answered(read_form(text, _Answer), sizes, boxes, NO_USAGE)


def _answered(
    answer: _Answer, sizes: Sequence[tuple[int, int]], boxes: Boxes, usage: Usage
) -> tuple[str, int, BBox | None]:
    """Answer, page and box of a form, as `read_answer` has them."""
    text = answer.answer.strip()
    if not answer.answerable or not text:
        return "", 0, None
    if not 1 <= answer.page <= len(sizes):
        raise ReplyUnusable(
            f"the model points at page {answer.page}, of {len(sizes)} that it was shown: ask with method vanilla or "
            "cot, or show it fewer (rag.writing.candidates)",
            text=answer.answer,
            usage=usage,
        )
    return text, answer.page, box_of(answer.box, boxes, sizes[answer.page - 1])


class VisaLocalizer:
    """Asks the model where on its page a sentence is proven. `usage` is what that cost so far."""

    def __init__(
        self, collection: Collection, model: ChatModel, boxes: Boxes, fit: Fit, page_width: int = 1275
    ) -> None:
        """`boxes` is how the model writes boxes, `fit` how an image is sized before it is sent; pages are drawn
        `page_width` pixels wide before that.
        """
        self._collection = collection
        self._model = model
        self._boxes = boxes
        self._fit = fit
        self._page_width = page_width
        self.usage = NO_USAGE

    def __call__(self, sentence: str, element: Element, spans: Sequence[tuple[int, int]] = ()) -> Located:  # noqa: ARG002  it looks
        """The box of the element that the model points at, where that is at the one that was checked; else none."""
        nothing = Located(element.id, element.page, (), (), 0.0)
        box = self._pointed(sentence, element)
        if box is None:
            return nothing
        target = snapped(box, self._collection.page_elements(element.doc_id, element.page))
        if target is None or target.bbox.overlap(element.bbox) < INSIDE * min(target.bbox.area, element.bbox.area):
            return nothing
        return Located(element.id, element.page, (target.bbox,), (), box.iou(target.bbox))

    def _pointed(self, sentence: str, element: Element) -> BBox | None:
        """What the model draws; None when it draws nothing, or fails."""
        if not self._model.room.images:
            return None
        try:
            image = self._fit(self._collection.draw_page(element.doc_id, element.page, width=self._page_width))
            words = _BOX.filled(sentence=fenced(sentence), convention=CONVENTIONS[self._boxes])
            drawn, usage = filled(self._model, [Message("user", (image, words))], _Box, _MAX_BOX_TOKENS)
        except ModelError as error:
            self.usage += error.usage
            return None
        except IndexingError:
            return None
        self.usage += usage
        return box_of(drawn.box, self._boxes, image.size) if drawn.found else None
