"""The values that pass through indexing: boxes, words, elements, pages and documents.

Every box in Vouch is a fraction of the *displayed* page (after crop box and rotation), origin top left. `BBox`
validates itself when it is created, and its methods are the only place where coordinates are converted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote, unquote

import numpy as np
from numpy.typing import NDArray

from indexing.metadata import Metadata

Kind = Literal[
    "text", "heading", "list", "table", "picture", "caption", "formula", "footnote", "header", "footer", "group"
]
Source = Literal["layer", "ocr", "file"]
"""The origin of an element's words: the text of the file, its pixels, or the file's own name and description."""
FORMAT, VERSIONED = 6, 7
"""The version of the files of a collection, and of a reindexed one, whose tables are in the folder of a version.

Both go up by two with a field of `Element`, `Page` or `Document`, which have columns in the tables, and with any other
change of `indexing/store/rows.py`; so neither takes a number that the other has had.
"""
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff")
"""The extensions of files that are an image themselves."""


@dataclass(frozen=True, slots=True)
class BBox:
    """A rectangle in fractions of the displayed page: 0 <= x0 < x1 <= 1 and 0 <= y0 < y1 <= 1, y downwards."""

    x0: float
    y0: float
    x1: float
    y1: float

    def __post_init__(self) -> None:
        """Refuse NaN, inverted, empty and out-of-range rectangles with a ValueError."""
        if not all(math.isfinite(v) for v in self.as_tuple()):
            raise ValueError(f"box has a coordinate that is not a number: {self.as_tuple()}")
        if not (0.0 <= self.x0 < self.x1 <= 1.0 and 0.0 <= self.y0 < self.y1 <= 1.0):
            raise ValueError(f"box is inverted, empty or outside the page: {self.as_tuple()}")

    @classmethod
    def from_page(cls, x0: float, y0: float, x1: float, y1: float, width: float, height: float) -> BBox | None:
        """Clip a rectangle given in units of a displayed page of `width` x `height` (points or pixels alike).

        Returns None if no part of it lies on the page, or if a value is not a number.
        """
        if width <= 0 or height <= 0 or not all(map(math.isfinite, (x0, y0, x1, y1))):
            return None
        left, right = max(0.0, x0 / width), min(1.0, x1 / width)
        top, bottom = max(0.0, y0 / height), min(1.0, y1 / height)
        return cls(left, top, right, bottom) if left < right and top < bottom else None

    def to_page(self, width: float, height: float) -> tuple[float, float, float, float]:
        """Return the same rectangle in units of a displayed page of `width` x `height` (points or pixels)."""
        return (self.x0 * width, self.y0 * height, self.x1 * width, self.y1 * height)

    def rotate(self, quarters: int) -> BBox:
        """Return the rectangle after its page is rotated clockwise by `quarters` x 90 degrees."""
        box = self
        for _ in range(quarters % 4):
            box = BBox(1.0 - box.y1, box.x0, 1.0 - box.y0, box.x1)
        return box

    def scale_to(self, part: BBox) -> BBox | None:
        """Return the rectangle after its page is scaled to a part of a larger one; None if nothing is left of it."""
        wide, high = part.x1 - part.x0, part.y1 - part.y0
        left, top = part.x0 + self.x0 * wide, part.y0 + self.y0 * high
        return BBox.from_page(left, top, part.x0 + self.x1 * wide, part.y0 + self.y1 * high, 1.0, 1.0)

    def as_tuple(self) -> tuple[float, float, float, float]:
        """Return (x0, y0, x1, y1)."""
        return (self.x0, self.y0, self.x1, self.y1)

    @property
    def area(self) -> float:
        """The share of the page that the box covers, 0 to 1."""
        return (self.x1 - self.x0) * (self.y1 - self.y0)

    def overlap(self, other: BBox) -> float:
        """Return the area of the intersection, as a share of the page."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.y1, other.y1) - max(self.y0, other.y0)
        return width * height if width > 0 and height > 0 else 0.0

    def iou(self, other: BBox) -> float:
        """Return the intersection over union, 0 to 1."""
        both = self.overlap(other)
        return both / (self.area + other.area - both)

    @staticmethod
    def union(boxes: Iterable[BBox]) -> BBox:
        """Return the smallest box around all of `boxes`. Raises ValueError if there are none."""
        items = list(boxes)
        if not items:
            raise ValueError("the union of no boxes is undefined")
        return BBox(
            min(b.x0 for b in items), min(b.y0 for b in items), max(b.x1 for b in items), max(b.y1 for b in items)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The positions of the words of an element's text: `spans` (n, 2) int32 are character offsets into the text.

    `boxes` (n, 4) float32 are fractions of the displayed page, `lines` (n,) int32 the number of the line in the
    element.
    """

    spans: NDArray[np.int32]
    boxes: NDArray[np.float32]
    lines: NDArray[np.int32]

    @classmethod
    def none(cls) -> Words:
        """Return an empty value, for a picture without text."""
        return cls(np.zeros((0, 2), np.int32), np.zeros((0, 4), np.float32), np.zeros(0, np.int32))

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.lines)

    def line_boxes(self, start: int, end: int) -> tuple[BBox, ...]:
        """Return one box per line around the words that overlap text[start:end], in reading order."""
        return self.boxes_of(((start, end),))

    def boxes_of(self, spans: Iterable[tuple[int, int]]) -> tuple[BBox, ...]:
        """Return one box per line around the words with valid boxes that overlap any of `spans`, in reading order."""
        mask: NDArray[np.bool_] = np.zeros(len(self), bool)
        for start, end in spans:
            mask |= (self.spans[:, 0] < end) & (self.spans[:, 1] > start)
        boxes = self.boxes
        mask &= np.isfinite(boxes).all(axis=1) & (boxes[:, 0] < boxes[:, 2]) & (boxes[:, 1] < boxes[:, 3])
        results: list[BBox] = []
        for line in dict.fromkeys(self.lines[mask].tolist()):
            line_boxes = boxes[mask & (self.lines == line)]
            (x0, y0), (x1, y1) = line_boxes[:, :2].min(axis=0).tolist(), line_boxes[:, 2:].max(axis=0).tolist()
            box = BBox.from_page(x0, y0, x1, y1, 1.0, 1.0)
            if box is not None:
                results.append(box)
        return tuple(results)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: its position in the grid (from 0), its text as `text[start:end]` of the element, its box."""

    row: int
    col: int
    row_span: int
    col_span: int
    start: int
    end: int
    bbox: BBox
    header: bool


@dataclass(frozen=True, slots=True)
class Element:
    """A piece of a page that can be cited: a paragraph, table, figure, or a `group` of such pieces.

    `text` is in reading order, with lines joined by spaces (table rows by newlines, cells by " | "). `section` is the
    path of headings above it. `parts` are the ids of a group's members, empty otherwise. `caption` is the text of the
    caption of a table or picture. `place` is its position in a source without pages of its own, in words: "lines 3-7",
    "Sheet 2, A1:C9".
    """

    id: str
    doc_id: str
    page: int
    kind: Kind
    text: str
    bbox: BBox
    source: Source
    section: tuple[str, ...] = ()
    caption: str = ""
    words: Words = field(default_factory=Words.none, repr=False, compare=False)
    cells: tuple[Cell, ...] = field(default=(), repr=False)
    parts: tuple[str, ...] = ()
    place: str = ""

    @property
    def needs_picture(self) -> bool:
        """True if its text does not say everything that it shows, so that its picture is needed as well."""
        return self.kind in ("picture", "group") or not self.text.strip()

    @property
    def whole_image(self) -> bool:
        """True if it is a whole page of an image file; `caption` is then the file's name and description.

        It has no text: the text read on the page is in other elements, so that no quote gets the whole page as its box.
        """
        return self.source == "file"


@dataclass(frozen=True, slots=True)
class Page:
    """A page as displayed: numbered from 1, `width` and `height` in points, `rotation` (/Rotate) in degrees.

    `label` is the page number that its document gives it ("iv", "117"), empty if it gives none.
    """

    doc_id: str
    number: int
    width: float
    height: float
    rotation: int = 0
    label: str = ""

    @property
    def printed_number(self) -> str:
        """The number to cite the page by: its label, or if it has none, its position in the document, from 1."""
        return self.label or str(self.number)


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a page as its pixels show it: the box of a recognised paragraph, and the text read in it."""

    bbox: BBox
    text: str


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page with its elements in reading order; groups come after the elements they join.

    `regions` are the paragraphs read off the page's pixels, `image` is the displayed page itself as PNG; which of them
    there is depends on the visual embedder, and there is neither in a collection without one. `hidden` is how many
    words of its text layer were left out because its picture does not show them.
    """

    page: Page
    elements: tuple[Element, ...]
    regions: tuple[Region, ...] = ()
    image: bytes = field(default=b"", repr=False)
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """An indexed file. `id` is the first 16 hex digits of the file's sha256, so the same file is the same document.

    `path` is where the file is; for an upload, `upload_key`. The pixels of its first `seen_pages` were read.
    """

    id: str
    name: str
    title: str
    n_pages: int
    sha256: str
    path: str = ""
    n_elements: int = 0
    size: int = 0
    indexed_at: str = ""
    failed_pages: tuple[int, ...] = ()
    metadata: Metadata = field(default_factory=Metadata)
    seen_pages: int = 0

    @property
    def is_image(self) -> bool:
        """True if the file is an image, each page of which is one picture; its content was checked when it was read."""
        return self.name.lower().endswith(IMAGE_SUFFIXES)

    @property
    def brought_by(self) -> str | None:
        """The account that uploaded it, "" for an upload without an account, None for a file indexed in place."""
        return None if self.path.startswith(("/", "https://", "http://")) else unquote(self.path.rpartition("/")[0])


def upload_key(name: str, account: str = "") -> str:
    """Return the path of an uploaded document: `mill.pdf`, or `ada/mill.pdf` if the account ada uploaded it."""
    return f"{quote(account, safe='')}/{name}" if account else name


@dataclass(frozen=True, slots=True)
class Hit:
    """An element that a search found.

    `score` is the score that it was ranked by. `similarities` (n, q) are the cosines of its n text tokens with the q
    tokens of the first query, `offsets` (n, 2) the characters of each token in `element.text` (below 0 in the context
    before the text). `found_by` are the numbers (from 0) of the queries that rank it among their best. `by_view` is the
    MaxSim with the first query of its text, and of its page's pixels, for each view that has it.
    """

    element: Element
    score: float
    similarities: NDArray[np.float32] = field(repr=False, compare=False)
    offsets: NDArray[np.int32] = field(repr=False, compare=False)
    found_by: tuple[int, ...] = (0,)
    by_view: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class PageHit:
    """A page that a search found, and the score that it was ranked by."""

    doc_id: str
    number: int
    score: float


@dataclass(frozen=True, slots=True)
class Found:
    """The results of a search: elements and pages, best first.

    They come with the tokens of the first query and their weights (q,), which sum to 1.
    """

    hits: tuple[Hit, ...]
    tokens: tuple[str, ...]
    weights: NDArray[np.float32] = field(repr=False, compare=False)
    pages: tuple[PageHit, ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """One annotation on page `page` (from 1): `boxes` in fractions of the displayed page, `text` its note.

    A `highlight` covers each of its boxes, which suits lines and cells; otherwise one frame is drawn around all of
    them, which suits figures and whole elements. A `warning` is a sign at the corner of its first box instead. A mark
    `against` something is red, and its note says that the place contradicts the sentence. `subject` is its short name,
    such as `[1]`. `colour` is red, green and blue, 0 to 1, instead of the default.
    """

    page: int
    boxes: tuple[BBox, ...]
    text: str
    subject: str = ""
    highlight: bool = True
    warning: bool = False
    colour: tuple[float, float, float] | None = None
    against: bool = False


@dataclass(frozen=True, slots=True)
class MarkedPdf:
    """A document as a PDF with marks on its pages: its bytes, and the kinds of active content that were removed."""

    content: bytes
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LayerWord:
    """A word of the text layer of a page, and its box."""

    text: str
    bbox: BBox


def layer_lines(elements: Iterable[Element], boxes: Sequence[BBox]) -> tuple[tuple[LayerWord, ...], ...]:
    """Return the lines of the words whose middles are in `boxes`, box by box; a line in two boxes is cut in two.

    Only words of text layers are taken: a page that was read by OCR has none.
    """
    sources = [e for e in elements if e.source == "layer" and not e.parts]
    lines: dict[tuple[int, int, int], list[LayerWord]] = {}
    for n, element in enumerate(sources):
        middles = (element.words.boxes[:, :2] + element.words.boxes[:, 2:]) / 2
        is_free = np.ones(len(middles), bool)
        for m, box in enumerate(boxes):
            inside = ((middles >= box.as_tuple()[:2]) & (middles <= box.as_tuple()[2:])).all(axis=1) & is_free
            is_free &= ~inside
            for at in np.flatnonzero(inside).tolist():
                start, end = element.words.spans[at].tolist()
                x0, y0, x1, y1 = element.words.boxes[at].tolist()
                box_of_word = BBox.from_page(x0, y0, x1, y1, 1.0, 1.0)
                if box_of_word is not None:
                    line = lines.setdefault((m, n, int(element.words.lines[at])), [])
                    line.append(LayerWord(element.text[start:end], box_of_word))
    return tuple(tuple(lines[key]) for key in sorted(lines))


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A word that its page shows differently: `text` is the word, `shown` the text read from its pixels.

    `text` is empty if the page shows a word that its text lacks, `shown` if nothing legible is shown. `agreed` is True
    if two readings of the pixels agree, or all read nothing; in a crowded drawing they can differ.
    """

    text: str
    shown: str
    agreed: bool = True


SILENT_KINDS = ("header", "footer", "group")
"""The kinds that are stored and displayed but not searched (a group is found through its members)."""


DRAWN_KINDS = ("picture", "table")
"""The kinds of which a universal embedder gets the picture, not the text alone."""


View = Literal["text", "visual"]
