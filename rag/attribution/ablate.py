"""The citations that were crucial: each is masked in turn and the question asked again, to see what is lost.

This is the masking ablation of CiteVQA (arXiv 2605.12882), which finds its gold evidence so, applied to an answer of
our own. A sentence survives when the evidence that the new answer cites still proves it; so a fact that stands in two
places makes neither of them crucial. The function that answers is injected: quoting needs no model, a model is called
once more for each citation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from indexing import BBox, Collection, Element, Found
from rag.attribution.rules import compare
from rag.types import Answer, Citation, Sentence

if TYPE_CHECKING:
    from PIL import Image

COVERED = 0.5
"""The least share of the smaller of two boxes that both must cover for one to be masked with the other."""
MORE = 12
"""The further hits that are searched for in the place of each mask: an element comes with the groups that hold it."""
MASK = (128, 128, 128)


@dataclass(frozen=True, slots=True)
class Ablated:
    """The outcome for the answer without one of its citations, which is shown under `number` (from 1).

    `lost` are the sentences that the new answer's citations do not prove, `said` is the text of the new answer.
    """

    number: int
    citation: Citation
    lost: tuple[str, ...]
    said: str

    @property
    def crucial(self) -> bool:
        """True if a sentence is lost."""
        return bool(self.lost)

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "number": self.number,
            "element_id": self.citation.element_id,
            "crucial": self.crucial,
            "lost": list(self.lost),
            "said": self.said,
        }


def ablate(answer: Answer, collection: Collection, ask: Callable[[Collection], Answer]) -> tuple[Ablated, ...]:
    """Mask each cited element in turn and return one entry for each, in the order of the citations.

    The result is empty for an answer that cites nothing. `ask` answers the question again from a collection in which
    the element is masked. Raises what `ask` raises.
    """
    dependences = []
    tested_ids: set[str] = set()
    for number, citation in enumerate(answer.citations, 1):
        if citation.element_id in tested_ids or citation.role != "proves":
            continue
        tested_ids.add(citation.element_id)
        again = ask(mask_citations(collection, [citation]))
        lost = tuple(
            s.text
            for s in answer.sentences
            if any(c.element_id == citation.element_id for c in s.citations) and not survives(s, again)
        )
        dependences.append(Ablated(number, citation, lost, " ".join(s.text for s in again.sentences)))
    return tuple(dependences)


def survives(sentence: Sentence, again: Answer) -> bool:
    """Return True if the elements that an answer cites prove the sentence."""
    cited_ids = {c.element_id for c in again.citations}
    elements = [e.element for e in again.evidence if e.element.id in cited_ids]
    return compare(sentence.text, elements).outcome == "confirmed"


def mask_citations(collection: Collection, citations: Sequence[Citation]) -> Collection:
    """Return the collection without the cited elements: not in results, not on pages, grey in rendered pages."""
    return cast("Collection", _Masked(collection, citations))


class _Masked:
    """A collection in which some boxes are masked; every other attribute is the original collection's."""

    def __init__(self, collection: Collection, citations: Sequence[Citation]) -> None:
        self._collection = collection
        self._boxes = [(c.doc_id, c.page, c.bbox) for c in citations]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._collection, name)

    def search(self, queries: str | Sequence[str], *, limit: int = 10, **options: Any) -> Found:
        """Search as the collection does, and leave out the masked elements."""
        results = self._collection.search(queries, limit=limit + MORE * len(self._boxes), **options)
        visible_hits = tuple(hit for hit in results.hits if not self._hides(hit.element))
        return replace(results, hits=visible_hits[:limit])

    def page_elements(self, doc_id: str, page: int) -> tuple[Element, ...]:
        """Return the elements of a page without the masked ones."""
        return tuple(e for e in self._collection.page_elements(doc_id, page) if not self._hides(e))

    def elements_on(self, pages: Sequence[tuple[str, int]]) -> list[tuple[Element, ...]]:
        """Return the elements of pages without the masked ones."""
        return [tuple(e for e in here if not self._hides(e)) for here in self._collection.elements_on(pages)]

    def draw_page(self, doc_id: str, page: int, width: int = 1400) -> Image.Image:
        """Draw the page with the masked boxes painted over."""
        from PIL import ImageDraw

        image = self._collection.draw_page(doc_id, page, width)
        draw = ImageDraw.Draw(image)
        for box in self._masked_boxes(doc_id, page):
            draw.rectangle(box.to_page(*image.size), fill=MASK)
        return image

    def _masked_boxes(self, doc_id: str, page: int) -> list[BBox]:
        return [box for doc, number, box in self._boxes if (doc, number) == (doc_id, page)]

    def _hides(self, element: Element) -> bool:
        """Return True if an element and a masked box overlap by COVERED of the smaller one, so both are hidden."""
        return any(
            element.bbox.overlap(box) >= COVERED * min(element.bbox.area, box.area)
            for box in self._masked_boxes(element.doc_id, element.page)
        )
