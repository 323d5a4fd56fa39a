"""The base class of universal embedders: pages, pictures and texts as single vectors in one space.

For a page there is one vector of its image, one of each picture or table (its crop together with its text), and one of
the text of every other element. So mode multi is one search, in which text and pixels compete.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from indexing.embed.protocol import SCALE, QueryVectors, RegionVectors, Seeking, VisualKind, passage
from indexing.embed.visual import loading
from indexing.embed.visual.checkpoint_embedder import FromCheckpoint, LoadedModel, crop_of, image_of
from indexing.types import DRAWN_KINDS, SILENT_KINDS, BBox, ParsedPage
from indexing.vectors import Packing

if TYPE_CHECKING:
    from PIL import Image

INSTRUCTIONS: dict[Seeking, str] = {
    "any": "Given a question, find the page, picture or passage that answers it.",
    "text": "Given a question, find the passages that answer it in words.",
    "image": "Given what to look for, find the pictures and page images that show it.",
}
"""The instructions that the model gets with queries, unless the settings give others."""
TEXTS_A_PAGE = 8
"""The number of texts that take about as much memory as the image of one page."""


@dataclass(frozen=True, slots=True)
class EmbeddedItem:
    """An item that is embedded as one vector: a text, an image, or both."""

    text: str = ""
    image: Image.Image | None = None


class OneSpace(FromCheckpoint):
    """A visual embedder of one vector an item; a subclass adds the model's own way from items to vectors."""

    visual_kind: VisualKind = "space"

    @property
    def packing(self) -> Packing:
        """The packing of eight bits: the vectors are few and long."""
        return Packing(self.dim, 8)

    def instruction(self, seeking: Seeking = "any") -> str:
        """Return the instruction that the model gets with a query."""
        own = self._settings
        instructions = {"any": own.query_instruction, "text": own.text_instruction, "image": own.image_instruction}
        return instructions[seeking] or INSTRUCTIONS[seeking]

    def embed(self, items: Sequence[EmbeddedItem], instruction: str = "") -> NDArray[np.float32]:
        """Return unit vectors (n, d) of items, in order; with an instruction they are questions, else documents."""
        if not items:
            return np.zeros((0, self.dim), np.float32)
        with self._locked_model() as vlm:
            rows = self._rows(vlm, items, instruction)
        return self._unit(rows)

    @abstractmethod
    def _rows(self, vlm: LoadedModel, items: Sequence[EmbeddedItem], instruction: str) -> Any:
        """Return the model's vectors of items, in order, a tensor (n, d); an empty `instruction` is for documents."""

    def embed_query(self, question: str, seeking: Seeking = "any") -> QueryVectors:
        """Return the one vector of a question, embedded with the instruction for `seeking`."""
        vectors = self.embed([EmbeddedItem(question)], self.instruction(seeking))
        return QueryVectors(vectors, np.ones(1, np.float32), (question,))

    def embed_pages(self, pages: Sequence[ParsedPage]) -> list[RegionVectors]:
        """Return for each page the vectors of its image, pictures, tables and texts, with the indices of elements."""
        items = [_items(page) for page in pages]
        image_items = [item for own in items for _, _, item in own if item.image is not None]
        text_items = [item for own in items for _, _, item in own if item.image is None]
        image_vectors = iter(loading.in_batches(image_items, self.batch_size, lambda batch: list(self.embed(batch))))
        text_vectors = iter(
            loading.in_batches(text_items, TEXTS_A_PAGE * self.batch_size, lambda batch: list(self.embed(batch)))
        )
        results = []
        for own in items:
            rows = [next(text_vectors if item.image is None else image_vectors) for _, _, item in own]
            vectors = np.stack(rows) * np.float32(SCALE) if rows else np.zeros((0, self.dim), np.float32)
            owners = np.array([owner for owner, _, _ in own], np.int32)
            results.append(RegionVectors(vectors, np.ones(len(own), np.int32), tuple(box for _, box, _ in own), owners))
        return results


def _items(page: ParsedPage) -> list[tuple[int, BBox, EmbeddedItem]]:
    """Return the items of a page: the index of the element on the page (-1 for the page itself), its box, the item.

    If one element is an image that is the whole page, it is embedded once, as the page and without text.
    """
    image = image_of(page) if page.image else None
    whole_image = next((index for index, element in enumerate(page.elements) if element.whole_image), -1)
    items = [(whole_image, BBox(0.0, 0.0, 1.0, 1.0), EmbeddedItem(image=image))] if image is not None else []
    for index, element in enumerate(page.elements):
        if element.kind in SILENT_KINDS or (image is not None and index == whole_image):
            continue
        crop = crop_of(image, element.bbox) if image is not None and element.kind in DRAWN_KINDS else None
        text = passage(element).strip()
        if text or crop is not None:
            items.append((index, element.bbox, EmbeddedItem(text, crop)))
    return items
