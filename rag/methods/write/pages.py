"""Build the pages that a model sees: complete images with framed and labelled elements, and their exact text.

A label covers no words: it is at a blank place beside its frame, or in an added margin with a line to its frame.
Neighbours differ in colour.

Pages are in the order of their document. Every leaf element has a label, except headers, footers, empty elements and
duplicates. Table rows have labels, too ("E7.r3"). Small elements that the search found are shown enlarged as well.

`rag.methods.write.pages` draws the labels. The author of a page may have painted "E3" on it, but gains nothing: a
label always means the element that we gave it to, and the citation is checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from indexing import Collection, Document, Element, IndexingError, Mode, Page
from rag.crops import Crops, shrink
from rag.retrieval import in_order
from rag.settings import WritingSettings
from rag.types import Evidence, RankedPage

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL import Image, ImageDraw, ImageFont


COLOURS = ((20, 60, 200), (190, 30, 45), (0, 110, 70), (130, 40, 150), (165, 85, 0))
PAPER = (255, 255, 255)
FRAME = 3
"""The gap, in pixels, between an element and its frame, which strikes no letter through."""
EVEN = 24
"""The most that the pixels of a blank place differ in brightness, of 255."""

Rectangle = tuple[int, int, int, int]
"""The left, top, right and bottom of an area, in pixels of the picture."""


def labelled_page(page: Image.Image, pieces: Sequence[Evidence], side: int) -> Image.Image:
    """Return a rendered page in RGB with a margin at its left and right; its longer side has at most `side` pixels.

    Each item of evidence has a frame with its label beside it.
    """
    from PIL import Image, ImageDraw, ImageFont

    picture = shrink(page.convert("RGB"), side)
    font = ImageFont.load_default(max(13, round(max(picture.size) / 85)))
    margin = round(font.getlength("E000")) + 10
    image = Image.new("RGB", (picture.width + 2 * margin, picture.height), PAPER)
    image.paste(picture, (margin, 0))
    grey = np.asarray(image.convert("L"), np.int16)
    pen = ImageDraw.Draw(image)
    frames = [_frame(piece, picture.size, margin) for piece in pieces]
    for n, frame in enumerate(frames):
        pen.rectangle(frame, outline=COLOURS[n % len(COLOURS)], width=max(1, picture.width // 700))
    label_boxes: list[Rectangle] = []
    for n, (piece, frame) in enumerate(zip(pieces, frames, strict=True)):
        _label(pen, font, piece.label, frame, COLOURS[n % len(COLOURS)], grey, label_boxes, margin)
    return image


def _frame(piece: Evidence, size: tuple[int, int], margin: int) -> Rectangle:
    x0, y0, x1, y1 = piece.element.bbox.to_page(*size)
    left, top, right, bottom = x0 - FRAME + margin, y0 - FRAME, x1 + FRAME + margin, y1 + FRAME
    return round(left), max(0, round(top)), round(right), min(size[1] - 1, round(bottom))


def _label(
    pen: ImageDraw.ImageDraw,
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
    label: str,
    frame: Rectangle,
    colour: tuple[int, int, int],
    grey: NDArray[np.int16],
    label_boxes: list[Rectangle],
    margin: int,
) -> None:
    """Draw a label at the first place beside its frame that is blank and free, else in the nearer margin."""
    x0, y0, x1, y1 = pen.textbbox((0, 0), label, font=font)
    width, height = round(x1 - x0) + 6, round(y1 - y0) + 6
    place = next((p for p in _beside(frame, width, height) if _free(p, grey, label_boxes)), None)
    if place is None:
        place = _in_margin(frame, width, height, margin, grey.shape, label_boxes)
        middle = min((place[1] + place[3]) // 2, place[3] - 1)
        at_left = place[0] < margin
        ends = (place[2], frame[0]) if at_left else (frame[2], place[0])
        pen.line((ends[0], middle if at_left else frame[1], ends[1], frame[1] if at_left else middle), fill=colour)
    label_boxes.append(place)
    pen.rectangle((place[0], place[1], place[2] - 1, place[3] - 1), fill=colour)
    pen.text((place[0] + 3 - x0, place[1] + 3 - y0), label, fill=PAPER, font=font)


def _beside(frame: Rectangle, width: int, height: int) -> Iterator[Rectangle]:
    """Yield possible places for a label: left, above, right and below a frame, and in its corners."""
    left, top, right, bottom = frame
    for x, y in (
        (left - width - 1, top),
        (left, top - height - 1),
        (right + 2, top),
        (right - width, top - height - 1),
        (right - width - 1, bottom - height),
        (right - width - 1, top + 2),
        (left + 2, top + 2),
        (left - width - 1, bottom - height),
    ):
        yield x, y, x + width, y + height


def _free(place: Rectangle, grey: NDArray[np.int16], label_boxes: Sequence[Rectangle]) -> bool:
    """Return True if an area is inside the picture, blank, and without another label."""
    x0, y0, x1, y1 = place
    if x0 < 0 or y0 < 0 or x1 > grey.shape[1] or y1 > grey.shape[0] or _overlaps_any(place, label_boxes):
        return False
    spot = grey[y0:y1, x0:x1]
    return bool(spot.size) and int(spot.max()) - int(spot.min()) <= EVEN


def _in_margin(
    frame: Rectangle, width: int, height: int, margin: int, shape: tuple[int, ...], label_boxes: Sequence[Rectangle]
) -> Rectangle:
    """Return the place for a label in the margin that is nearer to its frame, as near to its top as there is room."""
    at_left = frame[0] - margin <= shape[1] - margin - frame[2]
    x = margin - width - 1 if at_left else shape[1] - margin + 1
    tops = sorted(range(0, max(1, shape[0] - height), max(1, height // 2)), key=lambda y: abs(y - frame[1]))
    free = (y for y in tops if not _overlaps_any((x, y, x + width, y + height), label_boxes))
    top = next(free, min(frame[1], shape[0] - height))
    return x, top, x + width, top + height


def _overlaps_any(place: Rectangle, label_boxes: Sequence[Rectangle]) -> bool:
    x0, y0, x1, y1 = place
    return any(x0 < right and x1 > left and y0 < bottom and y1 > top for left, top, right, bottom in label_boxes)


FURNITURE = ("header", "footer", "group")
"""The kinds that are no pieces of their own: what they hold stands elsewhere, or on every page."""
DRAWN = ("picture", "table", "formula")
"""The kinds of which a picture says more than the text."""
SPECK = 0.0004
"""The least share of a page that a picture without text has to cover to be a piece."""
TWIN = 0.8
"""The share of the smaller of two boxes which both cover, from which the same text is the same piece."""
BACKGROUND = 0.8
"""The share of its page from which a picture without words is its background, where other pieces stand on it."""
SMALL = 0.35
"""The share of its page below which a figure or table that was found is enlarged."""
AROUND = 0.03
"""What is shown around an enlarged piece, as a share of its page: legends and labels stand at the edge of figures."""
MOST_ROWS, MOST_LABELS = 80, 600
"""The most rows of a table, and the most labels of a prompt: rows beyond have none."""


@dataclass(frozen=True, slots=True)
class Enlarged:
    """A piece that is shown once more, cut out of its page and enlarged, in RGB."""

    piece: Evidence
    image: Image.Image


@dataclass(frozen=True, slots=True)
class PageView:
    """A page as a model sees it: its `image` (RGB), framed and labelled, the text of its pieces, or both.

    `pieces` are in reading order. `rank` is the page's rank in the search, from 0: the last are left out first if
    there is no room. `of` are the facts about its document.
    """

    page: Page
    of: DocumentFacts
    pieces: tuple[Evidence, ...]
    rank: int
    image: Image.Image | None = None
    text: bool = True
    enlargements: tuple[Enlarged, ...] = ()

    @property
    def labels(self) -> list[str]:
        """The labels that can be named: of the pieces and of the rows of tables."""
        return [label for piece in self.pieces for label in (piece.label, *row_labels(piece))]


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """The size of a document, for a model that sees only some of its pages."""

    id: str
    name: str
    pages: int
    figures: int = 0
    tables: int = 0


@dataclass(slots=True)
class Labels:
    """The labels of one answer: an element keeps its label when it is shown again."""

    _by_element: dict[str, Evidence] = field(default_factory=dict)

    def evidence(self, element: Element, document: str, hit: Evidence | None = None) -> Evidence:
        """Return an element as evidence under its label; `hit` is the evidence of the search for it, if any."""
        if element.id not in self._by_element:
            label = f"E{len(self._by_element) + 1}"
            item = replace(hit, label=label) if hit is not None else Evidence(label, element, document, 0.0, ())
            self._by_element[element.id] = item
        return self._by_element[element.id]

    def find(self, label: str) -> Evidence | None:
        """Return the evidence of a label, or None; for a row such as `E2.r3`, its table with the row number."""
        whole, _, row = label.partition(".r")
        item = next((item for item in self._by_element.values() if item.label == whole), None)
        return replace(item, row=int(row)) if item is not None and row.isdigit() else item


def row_labels(piece: Evidence) -> list[str]:
    """Return the labels of the rows of a table, from the first below its head; none of other pieces."""
    rows = sorted({cell.row for cell in piece.element.cells if not cell.header})
    return [f"{piece.label}.r{row}" for row in rows] if len(rows) <= MOST_ROWS else []


def page_views(
    collection: Collection,
    crops: Crops,
    pages: Sequence[RankedPage],
    evidence: Sequence[Evidence],
    mode: Mode,
    settings: WritingSettings,
    labels: Labels,
) -> tuple[tuple[PageView, ...], tuple[str, ...]]:
    """Return the views of pages for a model, in the order of their documents, and notes on what could not be drawn.

    Mode text shows the text of the pieces, image the rendered pages, multi both. Of the retrieved `evidence`, small
    elements are enlarged, the best first, at most `settings.enlarged`. A page that cannot be drawn is shown as text.
    """
    by_element = {item.element.id: item for item in evidence}
    rank = {(page.doc_id, page.number): n for n, page in enumerate(pages)}
    places = [(page.doc_id, page.number) for page in in_order(pages)]
    facts = {doc_id: facts_of(collection, collection.document(doc_id)) for doc_id, _ in places}
    views, notes = [], []
    for place, elements in zip(places, collection.elements_on(places), strict=True):
        name = facts[place[0]].name
        pieces = tuple(labels.evidence(e, name, by_element.get(e.id)) for e in leaves(elements))
        view = PageView(collection.page(*place), facts[place[0]], pieces, rank[place], text=mode != "image")
        if mode != "text":
            try:
                image = labelled_page(crops.page(*place), pieces, settings.page_side)
                view = replace(view, image=image)
            except IndexingError as error:
                notes.append(f"page {place[1]} of {name} was shown as text only: {error}")
                view = replace(view, text=True)
        views.append(view)
    return tuple(_with_enlarged(views, crops, by_element, settings.enlarged)), tuple(notes)


def notes_views(collection: Collection, evidence: Sequence[Evidence]) -> tuple[PageView, ...]:
    """Return the evidence alone, by page, for a model that answers from notes on it (MAVIS, 3.1)."""
    together: dict[tuple[str, int], list[Evidence]] = {}
    for item in evidence:
        together.setdefault((item.element.doc_id, item.element.page), []).append(item)
    facts = {doc_id: facts_of(collection, collection.document(doc_id)) for doc_id, _ in together}
    return tuple(
        PageView(collection.page(*place), facts[place[0]], tuple(items), rank)
        for rank, (place, items) in enumerate(together.items())
    )


def leaves(elements: Iterable[Element]) -> list[Element]:
    """Return the elements of a page that can be evidence, in reading order, without empty ones and duplicates."""
    leaf_elements: list[Element] = []
    for element in elements:
        if element.kind in FURNITURE or not _says_something(element):
            continue
        if not any(_is_duplicate(element, other) for other in leaf_elements):
            leaf_elements.append(element)
    front = [element for element in leaf_elements if not _is_background(element)]
    return front or leaf_elements


def _is_background(element: Element) -> bool:
    """Return True for a picture without words that covers most of its page and is no image file."""
    wordless = element.kind == "picture" and not any(map(str.isalnum, element.text + element.caption))
    return wordless and not element.whole_image and element.bbox.area >= BACKGROUND


def _says_something(element: Element) -> bool:
    """Return True unless an element is empty: a text without letters and digits, or a tiny picture without any."""
    if element.kind in DRAWN:
        return element.bbox.area >= SPECK or any(map(str.isalnum, element.text))
    return element.whole_image or any(map(str.isalnum, element.text))


def _is_duplicate(one: Element, other: Element) -> bool:
    """Return True if two elements have the same text, or the same picture, at the same place."""
    overlaps = one.bbox.overlap(other.bbox) >= TWIN * min(one.bbox.area, other.bbox.area)
    if not overlaps or one.whole_image or other.whole_image:
        return False
    if one.kind == other.kind == "picture":
        return one.bbox.iou(other.bbox) >= TWIN
    return one.text.split() == other.text.split() and bool(one.text.strip())


def _with_enlarged(
    views: Iterable[PageView], crops: Crops, evidence: dict[str, Evidence], most: int
) -> Iterable[PageView]:
    """Yield the views, with enlarged images of the best figures and tables that are small on their page."""
    views = list(views)
    by_id = {piece.element.id: piece for view in views if view.image is not None for piece in view.pieces}
    best = [
        by_id[id_]
        for id_, item in evidence.items()
        if id_ in by_id and item.element.kind in DRAWN and SPECK < item.element.bbox.area < SMALL
    ][:most]
    for view in views:
        own = [piece for piece in view.pieces if piece in best]
        yield replace(view, enlargements=tuple(Enlarged(p, crops(p.element, AROUND)) for p in own)) if own else view


def facts_of(collection: Collection, document: Document) -> DocumentFacts:
    """Count the pages, figures and tables of a document."""
    counts = {"picture": 0, "table": 0}
    for kind in counts:
        of_kind = collection.outlines(kind=kind, doc_id=document.id)
        counts[kind] = sum(element.bbox.area >= 25 * SPECK for element in of_kind)
    return DocumentFacts(document.id, document.name, document.n_pages, counts["picture"], counts["table"])
