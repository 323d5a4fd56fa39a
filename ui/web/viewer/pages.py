"""The cited pages of an answer, ready for the viewer: the addresses of their images, their boxes and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw

from ui.show import Numbered, cited_pages, place_badges
from ui.web.viewer.images import address

if TYPE_CHECKING:
    from indexing import Collection, Element
    from rag import Answer

MOST_PAGES = 24
"""The most pages of one answer that the viewer has; an answer cites a handful."""
BADGE_SHARE = 0.024
"""The height of a number as a share of the page's width; `viewer.css` says the same."""
_SKETCH_WIDTH = 700


@dataclass(frozen=True, slots=True)
class CitedPage:
    """A cited page: `src` is the address of its image, `width` and `height` are its size in points.

    `badges` are the left and top of each number, fractions of the displayed page like the boxes in `items`; `texts` the
    whole text of each cited element, by number. `looked_at` is True where the page's pixels were looked at when it was
    indexed: only then there is a heat map of it. `kinds` are the colours of boxes, by
    number, where they are not those of a proof: the verdicts of an audit.
    """

    doc_id: str
    document: str
    page: int
    n_pages: int
    src: str
    width: float
    height: float
    items: Sequence[Numbered]
    badges: Mapping[int, tuple[float, float]]
    texts: Mapping[int, str]
    looked_at: bool = False
    kinds: Mapping[int, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The name of the page in data attributes."""
        return f"{self.doc_id}:{self.page}"


def page_views(collection: Collection, answer: Answer, most: int = MOST_PAGES) -> tuple[CitedPage, ...]:
    """Return at most `most` cited pages of `answer` in its order. One whose document is gone meanwhile is left out."""
    documents = {d.id: d for d in collection.documents()}
    sees = collection.settings.visual != "none"
    views = []
    for (doc_id, number), items in list(cited_pages(answer).items())[:most]:
        if doc_id not in documents or number > documents[doc_id].n_pages:
            continue
        page = collection.page(doc_id, number)
        elements = collection.page_elements(doc_id, number)
        words = {e.id: e.text for e in elements}
        sketch = sketch_page(elements, page.height / page.width)
        badges = {
            badge.number: (badge.rect[0] / sketch.width, badge.rect[1] / sketch.height)
            for badge in place_badges(sketch, items, round(_SKETCH_WIDTH * BADGE_SHARE))
        }
        src = address(collection.name, doc_id, number)
        texts = {n: words.get(c.element_id) or c.quote for n, c in items}
        views.append(
            CitedPage(
                doc_id,
                items[0][1].document,
                number,
                documents[doc_id].n_pages,
                src,
                page.width,
                page.height,
                tuple(items),
                badges,
                texts,
                looked_at=sees and len(collection.page_regions(doc_id, number).boxes) > 0,
            )
        )
    return tuple(views)


def sketch_page(elements: Sequence[Element], ratio: float) -> Image.Image:
    """Draw a page sketch, `ratio` times as high as wide and black where elements are, to find room for a number.

    It has words where they are known, whole elements (pictures, formulas) elsewhere. This saves drawing the page.
    """
    size = (_SKETCH_WIDTH, max(1, min(8 * _SKETCH_WIDTH, round(_SKETCH_WIDTH * ratio))))
    sheet = Image.new("L", size, 255)
    pen = ImageDraw.Draw(sheet)
    for element in elements:
        if element.parts:
            continue
        boxes = [element.bbox.as_tuple()] if not len(element.words) else element.words.boxes.tolist()
        for x0, y0, x1, y1 in boxes:
            left, top, right, bottom = x0 * size[0], y0 * size[1], x1 * size[0], y1 * size[1]
            for row in range(round(top), max(round(top) + 1, round(bottom)), 2):  # striped: ink is told by its contrast
                pen.line((left, row, right, row), fill=0)
    return sheet
