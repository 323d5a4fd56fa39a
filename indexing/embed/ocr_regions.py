"""Embed page images without a vision model: the text embedder embeds the paragraphs that OCR recognises.

This is the embedded default for the modes image and multi. It knows nothing of a page's text layer: RapidOCR reads the
drawn page, lines are joined to paragraphs by their places, and each paragraph is a region with one vector a token. So
scans, slides and infographics are searched like any other page, and the region that matched is known.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from indexing.embed.minilm import MODEL_SHA256
from indexing.embed.protocol import QueryVectors, RegionVectors, Seeking, TextEmbedder, VisualKind
from indexing.types import ParsedPage

NAME = "ocr_regions"


class OcrRegions:
    """The visual embedder for machines without a GPU: it embeds the text that OCR reads on pages."""

    name = NAME
    visual_kind: VisualKind = "words"
    device = "cpu"
    batch_size = 1  # the text embedder makes batches of a page's paragraphs itself
    fingerprint = MODEL_SHA256
    weights = ""

    def __init__(self, text: TextEmbedder) -> None:
        """Keep `text`, which embeds the recognised text; it is shared with the text embedder."""
        self._text = text
        self.dim = text.dim
        self.packing = text.packing

    def embed_pages(self, pages: Sequence[ParsedPage]) -> list[RegionVectors]:
        """Return a multi-vector for each page; one without rows for a page on which OCR recognised no text."""
        token_vectors = iter(self._text.embed_passages([r.text for page in pages for r in page.regions]))
        results = []
        for page in pages:
            rows = [next(token_vectors).vectors for _ in page.regions]
            vectors = np.concatenate([np.zeros((0, self.dim), np.int8), *rows])
            results.append(
                RegionVectors(vectors, np.array([len(v) for v in rows], np.int32), tuple(r.bbox for r in page.regions))
            )
        return results

    def embed_query(self, question: str, seeking: Seeking = "any") -> QueryVectors:  # noqa: ARG002  it has no instruction
        """Embed a question as the text embedder does."""
        return self._text.embed_query(question)

    def codebook(self) -> NDArray[np.float32] | None:
        """Return the codebook of the text embedder."""
        return self._text.codebook()
