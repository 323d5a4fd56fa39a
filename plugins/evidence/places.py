"""Hold a citation against the words of its page: its quote stands there, and its boxes hold the words of the quote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from indexing import BBox, Element
from rag import Citation
from rag.anchors import Occurrence, comparable_text, find_quote, fingerprint

EDGE = 0.002
"""How far outside a box, as a share of the page, the middle of a word may lie that is in it."""
SAME_BOX = 0.9
"""The least intersection over union of two boxes that are the same."""
MOST_FOREIGN = 0.5
"""The largest share of what stands in a box that its sentence does not say: passages are boxed with their gaps."""


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page as it was read: `certain` where its document's own text was, not a picture by OCR, which may err."""

    elements: tuple[Element, ...]
    certain: bool

    def words_in(self, box: BBox) -> list[str]:
        """Return the words whose middles are in a box, in reading order."""
        return [word for e in self.elements if not e.parts for word, place in _words(e) if _is_in(place, box)]


def _words(element: Element, start: int = 0, end: int = 1 << 31) -> Iterator[tuple[str, BBox]]:
    """Yield the words of an element that touch its characters [start, end), each with its box."""
    for (a, b), (x0, y0, x1, y1) in zip(element.words.spans.tolist(), element.words.boxes.tolist(), strict=True):
        place = BBox.from_page(x0, y0, x1, y1, 1.0, 1.0)
        if place is not None and a < end and b > start:
            yield element.text[a:b], place


def _is_in(word: BBox, box: BBox) -> bool:
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    return box.x0 - EDGE <= x <= box.x1 + EDGE and box.y0 - EDGE <= y <= box.y1 + EDGE


def misplacement(citation: Citation, sentence: str, page: ReadPage) -> str:
    """Return in what a citation differs from its page; "" where its quote stands there, in its boxes."""
    if not citation.quote:
        same = any(element.bbox.iou(citation.bbox) >= SAME_BOX for element in page.elements)
        return "" if same else "nothing that was read on the page has this box"
    places = [*find_quote(page.elements, *fingerprint(citation.quote))] or list(
        _scattered_matches(citation.quote, page)
    )
    wrong = [_outside(citation, place) for place in places] or ["the page does not have these words"]
    if "" not in wrong:
        return wrong[0]
    said = comparable_text(f"{sentence} {citation.quote}")
    for box in citation.boxes:
        inside = page.words_in(box)
        foreign = sum(len(word) for word in inside if comparable_text(word) not in said)
        if not inside or foreign > MOST_FOREIGN * sum(map(len, inside)):
            return "a box holds other words" if inside else "a box holds no words"
    return ""


def _scattered_matches(quote: str, page: ReadPage) -> Iterator[Occurrence]:
    """Yield the elements that have all words of a quote in its order, with others between, as several places have."""
    words = [comparable_text(word) for word in quote.replace("|", " ").split()]
    for element in page.elements:
        spans: list[tuple[int, int]] = []
        for start, end in element.words.spans.tolist():
            if len(spans) < len(words) and comparable_text(element.text[start:end]) == words[len(spans)]:
                spans.append((start, end))
        if words and len(spans) == len(words):
            yield Occurrence((element,) * len(spans), tuple(spans))


def _outside(citation: Citation, place: Occurrence) -> str:
    """Return what of a place of the quote is not in the boxes of its citation; of a row some cells may be boxed."""
    own = [word for e, span in zip(place.elements, place.spans, strict=True) for _, word in _words(e, *span)]
    boxes = citation.boxes or (citation.context if citation.kind == "picture" else ()) or (citation.bbox,)
    if any(element.cells for element in place.elements):
        boxes = (*boxes, citation.bbox)
    if not all(any(_is_in(word, box) for box in boxes) for word in own):
        return "words of the quote stand outside of its boxes"
    around = (citation.bbox, *citation.context)
    stray = not all(any(_is_in(box, outer) for outer in around) for box in citation.boxes)
    return "a box lies outside of the element that is cited" if stray else ""
