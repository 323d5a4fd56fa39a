"""The protocol of embedders: late interaction, so that a passage, a page and a question are all multi-vectors.

A multi-vector is an (n, d) array of unit rows, kept as component x 127; one vector a page is n = 1. A text embedder's
rows are tokens and know their characters; a visual embedder's rows belong to regions of the page (patches, recognised
paragraphs, elements) and know their boxes. For all of them scoring is MaxSim (`indexing.vectors.maxsim`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from indexing.types import BBox, Element, ParsedPage
from indexing.vectors import Packing

if TYPE_CHECKING:
    from indexing.settings import IndexingSettings


MAX_CONTEXT_CHARS = 80
"""The most characters of context, about twelve tokens: it is embedded again with every element below it."""
MAX_CAPTION_CHARS = 400
"""The most characters of the caption of a whole image, which is embedded once and is all there is to find it by."""


def context(element: Element) -> str:
    """Return the nearest heading above and the caption, cut and with a newline; "" if the element has neither."""
    texts = [p for p in (element.section[-1] if element.section else "", element.caption) if p]
    most = MAX_CAPTION_CHARS if element.whole_image else MAX_CONTEXT_CHARS
    return " ".join(" ".join(texts).split())[:most] + "\n" if texts else ""


def passage(element: Element) -> str:
    """Return the text that is embedded: `context`, then the element's own text."""
    return context(element) + element.text


SCALE = 127.0

VisualKind = Literal["words", "patches", "space"]
"""What a visual embedder's vectors represent: words, recognised by OCR and embedded by the text embedder; patches of
page images; or page images, pictures and texts, one vector each in one space (a universal embedder).
"""


Seeking = Literal["any", "text", "image"]
"""What a query should find: texts and images, texts alone, or images alone. A universal embedder has an instruction
for each; others embed all of them alike.
"""


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The multi-vector of a passage: `vectors` (n, d) int8 and, for each, its characters in the passage (n, 2)."""

    vectors: NDArray[np.int8]
    offsets: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class RegionVectors:
    """The multi-vector of a page's pixels: `vectors` (n, d), component x 127 (int8, or float32 by a model).

    `counts` (r,) are how many of them each region owns, one after another, and `boxes` the r regions in fractions of
    the displayed page. A region that is the whole page has no particular place. `owners` (r,) are the indices of the
    regions' elements among the page's, -1 for none; None if the embedder does not know them.
    """

    vectors: NDArray[Any]
    counts: NDArray[np.int32]
    boxes: tuple[BBox, ...]
    owners: NDArray[np.int32] | None = None


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """The multi-vector of a query: `vectors` (q, d) float32 unit rows, `weights` (q,) that sum to 1, `tokens`."""

    vectors: NDArray[np.float32]
    weights: NDArray[np.float32]
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EmbedderContext:
    """What an embedder is made with: the settings, and more.

    `dim` is that of the vectors of the collection that it is for, 0 where it is not known yet; `threads` are those of
    this process, 0 for all; `text` makes the text embedder, for one that reads text off pixels.
    """

    settings: IndexingSettings
    dim: int = 0
    threads: int = 0
    text: Callable[[], TextEmbedder] | None = None


class Embedder(Protocol):
    """The interface that all embedders share. `name` is recorded in the collection, and no other may search it."""

    name: str
    dim: int

    def embed_query(self, question: str) -> QueryVectors:
        """Return the weighted multi-vector of a question; without rows if there is nothing to embed."""

    def codebook(self) -> NDArray[np.float32] | None:
        """Return the centroids (c, d) of its vectors, by which the first stage of search chooses pages, or None.

        Without centroids, the first stage compares the query with a sketch of each page's vectors.
        """


class TextEmbedder(Embedder, Protocol):
    """An embedder of the text of elements."""

    def embed_passages(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return a multi-vector for each text, in order."""

    def offsets(self, text: str) -> NDArray[np.int32]:
        """Return the characters of each token of a passage (n, 2): row i belongs to row i of its stored vectors."""

    @property
    def weights(self) -> str:
        """The name of its weights, as a collection records it; empty for those that come with Vouch."""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of its weights; empty for those on a server."""

    @property
    def packing(self) -> Packing:
        """The packing in which its vectors are stored."""


class PageEmbedder(Protocol):
    """The part of a visual embedder that indexing needs: in this process, or on the GPUs of a cluster."""

    @property
    def batch_size(self) -> int:
        """The number of pages that it embeds at a time, limited by the memory that is free."""

    def embed_pages(self, pages: Sequence[ParsedPage]) -> list[RegionVectors]:
        """Return a multi-vector for each page, in order, from its image or from the text that OCR recognised on it."""


class VisualEmbedder(Embedder, PageEmbedder, Protocol):
    """An embedder of page images."""

    def embed_query(self, question: str, seeking: Seeking = "any") -> QueryVectors:
        """Return the weighted multi-vector of a question; without rows when there is nothing to embed."""

    @property
    def visual_kind(self) -> VisualKind:
        """What its vectors represent: recognised text, patches, or items in one space."""

    @property
    def packing(self) -> Packing:
        """The packing in which its vectors are stored."""

    @property
    def weights(self) -> str:
        """The name of its checkpoint, as a collection records it; empty for one that loads none."""

    @property
    def device(self) -> str:
        """The device on which it computes."""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of its weights: a collection is searched with those that it was made with."""
