"""Find the places in an element that prove a verified sentence: its lines or cells, similar areas, a drawn box.

The spans come from checking (`rag.attribution.rules`); without any, the sentence is aligned here. Where the boxes
would hold too little of the sentence there are none: the element's own box is then all there is to show.

Every region that the visual embedder has of the page (recognised paragraphs, or the patches of a grid) weighs its
MaxSim with the sentence: the similarity map of ColPali (Faysse et al. 2024), of which each area that stands out becomes
a box. No text is read: where `WordLocalizer` aligns words, this localizer compares vectors. A map that is highest
elsewhere than at the element that was checked gives no box.

`VisaLocalizer` asks where on its page a checked sentence is proven. The model's own box is never shown as it is: the
nearest element takes its place, or there is no box.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, WithJsonSchema

from indexing import BBox, Cell, Collection, Element, IndexingError
from indexing.language import NUMBER_WEIGHT, agree, look_alike, tokens
from rag.attribution.words import Claims, best_quote, claims_of, grid_of, rank
from rag.errors import ModelError, NoModel
from rag.llm import Boxes, ChatModel, Form, Message, ModelSettings, complete_as, fence, fit_image, load_prompt
from rag.settings import RagSettings
from rag.types import Localizer, Located
from rag.usage import NO_USAGE

if TYPE_CHECKING:
    from PIL import Image


CONFIDENT = 0.35
"""The least share of the sentence (by weight: numbers 3, names 2, words 1) that boxes must hold to be shown."""
BRIDGE = 60
"""The most characters between two matching pieces of a passage that are boxed with them."""

Span = tuple[int, int]


def boxes_of(element: Element, start: int, end: int) -> tuple[BBox, ...]:
    """Return boxes, in fractions of the page, around the words of `element.text[start:end]`; () if none has a box."""
    return element.words.line_boxes(start, end)


class WordLocalizer:
    """The localizer that aligns words: it needs no model, and costs nothing."""

    usage = NO_USAGE
    notes: tuple[str, ...] = ()

    def __call__(self, sentence: str, element: Element, spans: Sequence[Span] = ()) -> Located:
        """Return the boxes of a proof, as `localize` does."""
        return localize(sentence, element, spans)


BY_WORDS = WordLocalizer()
"""The localizer that is used where no other is named."""


def localize(sentence: str, element: Element, spans: Sequence[Span] = ()) -> Located:
    """Return the boxes of a proof. `spans` are (start, end) in the element's text; parts outside it are ignored."""
    size = len(element.text)
    proof = [(max(a, 0), min(b, size)) for a, b in spans if max(a, 0) < min(b, size)]
    claims = claims_of(sentence)
    if not proof:
        proof = _align(claims, element.text, noisy=element.source == "ocr")
    if element.cells:
        return _locate_cells(claims, element, proof)
    proof = _bridge_gaps(element.text, proof)
    share = _share(claims, [element.text[a:b] for a, b in proof], noisy=element.source == "ocr")
    boxes = element.words.boxes_of(proof) if share >= CONFIDENT else ()
    return Located(element.id, element.page, boxes, (), share)


def _align(claims: Claims, text: str, *, noisy: bool) -> list[Span]:
    """Return spans of the text that match the sentence: a verbatim quote, else the words of the best passage."""
    place = best_quote(text, claims.text)
    if place is not None:
        return [place]
    text_claims = claims_of(text)
    passages = rank(claims.tokens, text)[:8]
    if not passages:
        return []
    numbers_asked = claims.numbers

    def numbers(start: int, end: int) -> list[Span]:
        inside = text_claims.claims_between(start, end).quantities
        return [(q.start, q.end) for q in inside if any(agree(a, q) for a in numbers_asked)]

    best = max(passages, key=lambda p: p.score + NUMBER_WEIGHT * len(numbers(p.start, p.end)))
    spans = [(t.start, t.end) for t in best.tokens] + numbers(best.start, best.end)
    if noisy:
        keys = {look_alike(t.key) for t in claims.tokens if not t.stop}
        spans += [(t.start, t.end) for t in tokens(text) if look_alike(t.key) in keys]
    return sorted(set(spans))


def _bridge_gaps(text: str, spans: Sequence[Span]) -> list[Span]:
    """Join spans with at most BRIDGE characters of the same line between them, to box lines, not scattered words."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start - result[-1][1] <= BRIDGE and "\n" not in text[result[-1][1] : start]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def _share(claims: Claims, pieces: Sequence[str], *, noisy: bool) -> float:
    """Return the share, 0 to 1, of the weight of the sentence's words and numbers that the pieces have."""
    if not claims.weight:
        return 1.0 if any(best_quote(piece, claims.text) for piece in pieces) else 0.0
    there = [claims_of(piece) for piece in pieces]
    stems = {t.stem for c in there for t in c.tokens}
    alike = {look_alike(t.key) for c in there for t in c.tokens} if noisy else set()
    weight = sum(t.weight for t in claims.words if t.stem in stems or look_alike(t.key) in alike)
    for number in claims.numbers:
        agrees = any(agree(number, q) for c in there for q in c.quantities)
        look_alikes = {look_alike(t.key) for t in claims.tokens if number.start <= t.start < number.end}
        weight += NUMBER_WEIGHT if agrees or (noisy and look_alikes <= alike) else 0.0
    return weight / claims.weight


def _locate_cells(claims: Claims, element: Element, proof: Sequence[Span]) -> Located:
    """Return the boxes of the cells of the proof; their column headers and row labels are the context."""
    grid = grid_of(element)
    slots = {(s.start, s.end): s for s in (*grid.body, *grid.head)}
    by_span = {(c.start, c.end): c for c in element.cells}
    cells_hit = [c for c in element.cells if any(a < c.end and b > c.start for a, b in proof)]
    row = any(sum(a < c.end and b > c.start for c in cells_hit) > 1 for a, b in proof)
    values = [c for c in cells_hit if not c.header and not grid.is_label(slots[c.start, c.end])]
    cells_shown = cells_hit if row or not values else values
    names = [n for c in cells_shown for n in grid.names_of(slots[c.start, c.end])]
    context = [by_span[n.start, n.end] for n in dict.fromkeys(names)]
    texts = [element.text[c.start : c.end] for c in (*cells_hit, *context)]
    share = _cell_share(claims, element, texts)
    if share < CONFIDENT or not cells_shown:
        return Located(element.id, element.page, (), (), share)
    around = tuple(c.bbox for c in context if c not in cells_shown)
    return Located(element.id, element.page, tuple(c.bbox for c in _in_order(cells_shown)), around, share)


def _cell_share(claims: Claims, element: Element, texts: Sequence[str]) -> float:
    """Return `_share` of the cells' texts, at least CONFIDENT if one has a digit: it may match in the table's scale."""
    share = _share(claims, [*texts, element.caption, *element.section[-2:]], noisy=element.source == "ocr")
    return max(share, CONFIDENT) if texts and any(c.isdigit() for piece in texts for c in piece) else share


def _in_order(cells: Sequence[Cell]) -> list[Cell]:
    return sorted(cells, key=lambda c: (c.row, c.col))


HIGH, SEED = 0.6, 0.85
"""The thresholds between the median (0) and the maximum (1) of the map: regions from HIGH on make areas, and an area is
boxed when its highest region reaches SEED.
"""
CONTRAST = 0.05
"""The least height of a map's maximum above its median, in cosines; a flatter map says nothing."""
TOUCHING = 0.004
"""The gap, as a share of the page, up to which regions are one area; patches of a grid touch."""
INSIDE = 0.5
"""The least share of the smaller of two boxes, an area or element and another element, that both cover."""


class PatchLocalizer:
    """The localizer that uses the vectors that a collection keeps of its pages' pixels."""

    usage = NO_USAGE
    notes: tuple[str, ...] = ()

    def __init__(self, collection: Collection) -> None:
        """Keep the collection; nothing is loaded yet."""
        self._collection = collection

    def __call__(self, sentence: str, element: Element, spans: Sequence[tuple[int, int]] = ()) -> Located:  # noqa: ARG002  vectors know no characters
        """Return the boxes of areas at the element; none where its page has no regions. Raises NoVisualEmbedder."""
        heat = self._collection.similarity_map(sentence, element.doc_id, element.page)
        weights = np.array([weight for _, weight in heat], np.float32)
        boxes = tuple(box for box in areas([box for box, _ in heat], weights) if _at(box, element.bbox))
        confidence = float(np.clip(weights.max(initial=0.0), 0.0, 1.0)) if boxes else 0.0
        return Located(element.id, element.page, boxes, (), confidence)


def areas(boxes: Sequence[BBox], weights: NDArray[np.float32]) -> list[BBox]:
    """Return boxes around the connected areas of a map that stand out, the highest first."""
    if not len(weights):
        return []
    middle, top = float(np.median(weights)), float(weights.max())
    if top - middle < CONTRAST:
        return []
    height = (weights - middle) / (top - middle)
    high = [n for n in np.argsort(-height, kind="stable").tolist() if height[n] >= HIGH]
    result: list[BBox] = []
    while high and height[high[0]] >= SEED:
        area = [high.pop(0)]
        for one in area:  # grows while it is walked
            near = [n for n in high if _touch(boxes[one], boxes[n])]
            area += near
            high = [n for n in high if n not in near]
        result.append(BBox.union(boxes[n] for n in area))
    return result


def _touch(a: BBox, b: BBox) -> bool:
    return a.x0 - TOUCHING <= b.x1 and b.x0 - TOUCHING <= a.x1 and a.y0 - TOUCHING <= b.y1 and b.y0 - TOUCHING <= a.y1


def _at(box: BBox, element: BBox) -> bool:
    """Return True if two boxes overlap by a share of at least INSIDE of the smaller one."""
    return box.overlap(element) >= INSIDE * min(box.area, element.area)


_MAX_BOX_TOKENS = 160
_BOX = load_prompt("visa_box", "sentence", "convention")
SNAP = 0.3
"""The least IoU of a model's box with the element that takes its place."""

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
