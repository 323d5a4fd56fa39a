"""Compare a citation with the words of its page: the page has its quote, and its boxes contain those words."""

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
"""The largest share of a box's characters that its sentence may lack: passages are boxed with their gaps."""


@dataclass(frozen=True, slots=True)
class ReadPage:
    """The elements of a page; `certain` if they come from its text layer, not from OCR, which may err."""

    elements: tuple[Element, ...]
    certain: bool

    def words_in(self, box: BBox) -> list[str]:
        """Return the words whose middles are in a box, in reading order."""
        return [word for e in self.elements if not e.parts for word, word_box in _words(e) if _is_in(word_box, box)]


def _words(element: Element, start: int = 0, end: int = 1 << 31) -> Iterator[tuple[str, BBox]]:
    """Yield the words of an element that touch its characters [start, end), each with its box."""
    for (a, b), (x0, y0, x1, y1) in zip(element.words.spans.tolist(), element.words.boxes.tolist(), strict=True):
        box = BBox.from_page(x0, y0, x1, y1, 1.0, 1.0)
        if box is not None and a < end and b > start:
            yield element.text[a:b], box


def _is_in(word: BBox, box: BBox) -> bool:
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    return box.x0 - EDGE <= x <= box.x1 + EDGE and box.y0 - EDGE <= y <= box.y1 + EDGE


def misplacement(citation: Citation, sentence: str, page: ReadPage) -> str:
    """Return how a citation differs from its page, in words; "" if the page has its quote inside its boxes."""
    if not citation.quote:
        same = any(element.bbox.iou(citation.bbox) >= SAME_BOX for element in page.elements)
        return "" if same else "nothing that was read on the page has this box"
    occurrences = [*find_quote(page.elements, *fingerprint(citation.quote))] or list(
        _scattered_matches(citation.quote, page)
    )
    wrong = [_misfit(citation, occurrence) for occurrence in occurrences] or ["the page does not have these words"]
    if "" not in wrong:
        return wrong[0]
    reference_text = comparable_text(f"{sentence} {citation.quote}")
    for box in citation.boxes:
        inside = page.words_in(box)
        foreign = sum(len(word) for word in inside if comparable_text(word) not in reference_text)
        if not inside or foreign > MOST_FOREIGN * sum(map(len, inside)):
            return "a box holds other words" if inside else "a box holds no words"
    return ""


def _scattered_matches(quote: str, page: ReadPage) -> Iterator[Occurrence]:
    """Yield an occurrence for each element that has the words of a quote in order, with others between them."""
    words = [comparable_text(word) for word in quote.replace("|", " ").split()]
    for element in page.elements:
        spans: list[tuple[int, int]] = []
        for start, end in element.words.spans.tolist():
            if len(spans) < len(words) and comparable_text(element.text[start:end]) == words[len(spans)]:
                spans.append((start, end))
        if words and len(spans) == len(words):
            yield Occurrence((element,) * len(spans), tuple(spans))


def _misfit(citation: Citation, occurrence: Occurrence) -> str:
    """Return why an occurrence of a quote does not fit its boxes; "" if it does. Not all cells of a row need a box."""
    own = [word for e, span in zip(occurrence.elements, occurrence.spans, strict=True) for _, word in _words(e, *span)]
    boxes = citation.boxes or (citation.context if citation.kind == "picture" else ()) or (citation.bbox,)
    if any(element.cells for element in occurrence.elements):
        boxes = (*boxes, citation.bbox)
    if not all(any(_is_in(word, box) for box in boxes) for word in own):
        return "words of the quote stand outside of its boxes"
    around = (citation.bbox, *citation.context)
    stray = not all(any(_is_in(box, outer) for outer in around) for box in citation.boxes)
    return "a box lies outside of the element that is cited" if stray else ""
