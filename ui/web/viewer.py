"""Show cited pages as images, with their boxes as SVG in fractions of the page, their numbers, and all as HTML.

A page is an image under an SVG in page fractions, so no zoom or screen can shift a box. `ui/web/static/viewer.js` finds
its way by data attributes: `data-answer` ties a viewer to its answer, `data-cite` is a number of that answer,
`data-page` a page.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

from PIL import Image, ImageDraw

from ui.show import HTML, Numbered, cited_pages, message_html, place_badges, render, sources

if TYPE_CHECKING:
    from indexing import BBox, Collection, Element
    from rag import Answer, Citation


WIDTHS = (160, 640, 960, 1280, 1920, 2560, 3840)
"""The widths in pixels in which a page is served: the browser takes the one that is sharp at its zoom and density."""
MOST_BYTES = 300_000
"""The most bytes of an image of at most `LIGHT_WIDTH` pixels across: first its quality is lowered, then its detail."""
LIGHT_WIDTH = 1920
"""The most pixels across that a browser takes at the default zoom: 800 of a wide window, on a screen of density 2."""
MOST_PIXELS = 24_000_000
_EFFORTS = ((1.0, 82), (1.0, 70), (1.0, 55), (1.0, 40), (1.0, 25), (0.5, 40), (0.25, 40), (0.125, 40))
"""(scale, WebP quality): the first is used whose image is small enough."""


def nearest(width: int) -> int:
    """Return the smallest of WIDTHS that is at least `width`, or the largest if none is."""
    return next((w for w in WIDTHS if w >= width), WIDTHS[-1])


def fitting(width: int, page_width: float, page_height: float) -> int:
    """Return `width` in pixels, reduced for a page so long that its image would have more than MOST_PIXELS."""
    return max(1, min(width, int((MOST_PIXELS * page_width / page_height) ** 0.5)))


def webp(image: Image.Image) -> bytes:
    """Return the image as WebP; one of at most LIGHT_WIDTH in the best quality that fits into MOST_BYTES."""
    light = image.width <= LIGHT_WIDTH
    content = b""
    for detail, quality in _EFFORTS:
        less = image if detail == 1 else image.reduce(round(1 / detail)).resize(image.size)
        buffer = io.BytesIO()
        less.convert("RGB").save(buffer, format="WEBP", quality=quality, method=2)
        content = buffer.getvalue()
        if not light or len(content) <= MOST_BYTES:
            break
    return content


def address(collection: str, doc_id: str, page: int) -> str:
    """Return the address of a page image, relative to Vouch's page; `?w=` and a width in pixels can be appended."""
    return f"vouch/page/{quote(collection, safe='')}/{quote(doc_id, safe='')}/{page}.webp"


def srcset(src: str) -> str:
    """Return the `srcset` attribute of a page's `address`: all widths but that of the thumbnail."""
    return ", ".join(f"{src}?w={width} {width}w" for width in WIDTHS[1:])


MOST_PAGES = 24
"""The most pages of one answer that the viewer has; an answer cites a handful."""
BADGE_SHARE = 0.024
"""The height of a number as a share of the page's width; `viewer.css` says the same."""
_SKETCH_WIDTH = 700
OTHER = "other"
"""The kind of a place that was retrieved, and that the answer does not cite: it is shown on request only."""


@dataclass(frozen=True, slots=True)
class CitedPage:
    """A cited page: `src` is the address of its image, `width` and `height` are its size in points.

    `badges` has the left and top of each number, in fractions of the displayed page like the boxes in `items`; `texts`
    the complete text of each cited element, by number. `looked_at` is True if the page's pixels are indexed: only then
    it has a heat map. `kinds` has, by number, the kind of a box that is no proof's: the verdict of an audit, or OTHER.
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
        """The name of the page in data attributes: `<document id>:<page>`."""
        return f"{self.doc_id}:{self.page}"

    @property
    def cited(self) -> Sequence[int]:
        """The numbers of the answer's citations, without those of other places."""
        return [number for number, _ in self.items if self.kinds.get(number) != OTHER]


def page_views(collection: Collection, answer: Answer, most: int = MOST_PAGES) -> tuple[CitedPage, ...]:
    """Return at most `most` cited pages of `answer`, in its order. A page whose document was removed is left out."""
    documents = {d.id: d for d in collection.documents()}
    sees = collection.settings.visual != "none"
    kinds = dict.fromkeys((number for number, _ in sources(answer)[1]), OTHER)
    views = []
    for (doc_id, number), items in list(cited_pages(answer).items())[:most]:
        if doc_id not in documents or number > documents[doc_id].n_pages:
            continue
        page = collection.page(doc_id, number)
        elements = collection.page_elements(doc_id, number)
        texts_by_id = {e.id: e.text for e in elements}
        sketch = sketch_page(elements, page.height / page.width)
        badges = {
            badge.number: (badge.rect[0] / sketch.width, badge.rect[1] / sketch.height)
            for badge in place_badges(sketch, items, round(_SKETCH_WIDTH * BADGE_SHARE))
        }
        src = address(collection.name, doc_id, number)
        texts = {n: texts_by_id.get(c.element_id) or c.quote for n, c in items}
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
                kinds=kinds,
            )
        )
    return tuple(views)


def sketch_page(elements: Sequence[Element], ratio: float) -> Image.Image:
    """Return a sketch of a page in grey, `ratio` times as high as wide: striped where elements are, else white.

    Words are filled if their boxes are known, else the element's box. Numbers are placed on it: it is faster to make
    than the page's image.
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


NO_PAGE = message_html("The cited page appears here, with the proof boxed.")
_NOTHING = message_html("No page to show.", "The answer cites no place in the documents.")
_MOST_LINES = 400
"""The most lines that are shown of the text of one element."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A cited page as the template of the viewer takes it.

    `again` are the numbers whose element's box another number draws already; `words` are (number, citation, lines of
    the element's text) of the elements with text; `thumb_height` is in pixels.
    """

    view: CitedPage
    srcset: str
    again: frozenset[int]
    words: Sequence[tuple[int, Citation, Sequence[str]]]
    thumb_height: int


def viewer_html(pages: Sequence[CitedPage], key: str = "", *, hidden: bool = False, question: str = "") -> HTML:
    """Return the viewer of cited pages, the first one open; `viewer.js` switches between them in the browser.

    `key` ties the viewer to the answer of the same key, where a page has several; `question` is that of heat maps.
    """
    if not pages:
        return empty_viewer_html(_NOTHING, key, hidden=hidden)
    return render(
        "web/templates/viewer.html",
        key=key,
        question=question,
        hidden=hidden,
        sheets=[_sheet(view) for view in pages],
        citations=sum(len(view.cited) for view in pages),
        pointed=any(citation.role == "unconfirmed" for view in pages for n, citation in view.items if n in view.cited),
        others=any(len(view.cited) < len(view.items) for view in pages),
        thumb_width=WIDTHS[0],
    )


def empty_viewer_html(message: str, key: str = "", *, hidden: bool = False) -> HTML:
    """Return a viewer without pages, with a `message`."""
    return render("web/templates/empty.html", message=message, key=key, hidden=hidden)


def _sheet(view: CitedPage) -> Sheet:
    first: dict[BBox, int] = {}
    for number, citation in sorted(view.items, key=lambda item: (item[0] not in view.cited, item[1].role != "proves")):
        first.setdefault(citation.bbox, number)
    texts = [(n, c, view.texts.get(n, "")) for n, c in view.items]
    return Sheet(
        view,
        srcset(view.src),
        frozenset(n for n, c in view.items if first[c.bbox] != n),
        [(n, c, text.splitlines()[:_MOST_LINES]) for n, c, text in texts if text.strip()],
        max(20, min(88, round(44 * view.height / view.width))),
    )
