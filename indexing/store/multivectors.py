"""Turn a parsed page into its rows with their multi-vectors: on any machine, without a collection.

The vectors of its text and of its regions are ordered by the elements that they lie in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.embed import RegionVectors, TextEmbedder, VisualEmbedder, passage
from indexing.hints import landmarks
from indexing.store.rows import MultiVector, element_row, page_row, visual_columns
from indexing.types import SILENT_KINDS, BBox, Element, ParsedPage
from indexing.vectors import encode_tokens, rows_for, sketch

NO_ELEMENT = -1
"""The ordinal of the vectors of a page that are in none of its elements."""
WHOLE = 0.5
"""The share of its page above which a region belongs to the page, not to the element at its middle."""

_NO_TEXT = MultiVector(np.zeros((0, 8), np.int8), (), b"")
"""The multi-vector of a text whose stored columns are copied by the caller."""


@dataclass(frozen=True, slots=True)
class PageRows:
    """The rows of a page of a document: one of `pages`, and those of its elements in `elements`."""

    doc_id: str
    page: dict[str, Any]
    elements: tuple[dict[str, Any], ...]


def embed_page(page: ParsedPage, text: TextEmbedder, visual: VisualEmbedder | None) -> PageRows:
    """Embed a page, whose elements have their sections, and return its rows."""
    regions = None if visual is None else by_element(page.elements, visual.embed_pages([page])[0], visual)
    return rows_of(page, text, regions)


def visual_rows(pages: Sequence[ParsedPage], visual: VisualEmbedder) -> list[dict[str, Any]]:
    """Embed the regions of pages, and return for each a row of doc_id, number and `visual_columns`."""
    embeddings = visual.embed_pages(pages) if pages else []
    return [
        {"doc_id": page.page.doc_id, "number": page.page.number}
        | visual_columns(by_element(page.elements, regions, visual))
        for page, regions in zip(pages, embeddings, strict=True)
    ]


def rows_of(page: ParsedPage, text: TextEmbedder | None, regions: MultiVector | None) -> PageRows:
    """Embed the text of a page, and return its rows; `regions` is the multi-vector of its pixels, if it has one.

    Without `text`, the row of the page has no vectors of its text: the caller copies those of a stored row.
    """
    text_vectors = _NO_TEXT if text is None else _text_vectors(page.elements, text)
    return PageRows(
        page.page.doc_id,
        page_row(page.page, landmarks(page.elements), text_vectors, regions),
        tuple(element_row(element, ordinal) for ordinal, element in enumerate(page.elements)),
    )


def by_element(elements: Sequence[Element], regions: RegionVectors, embedder: VisualEmbedder) -> MultiVector:
    """Return the multi-vector of a page's pixels, ordered by the element that each region is in, the rest last.

    Patches follow a grid: an element that contains the middle of none gets the patch that it overlaps most, which is
    then in two spans.
    """
    if regions.owners is None:
        most = WHOLE if embedder.visual_kind == "patches" else 1.0
        owners = [NO_ELEMENT if box.area > most else _owner(box, elements) for box in regions.boxes]
    else:
        owners = regions.owners.tolist()
    order = sorted(range(len(owners)), key=lambda r: (owners[r] == NO_ELEMENT, owners[r], r))
    counts = regions.counts[order]
    firsts = np.cumsum(counts) - counts
    source = np.cumsum(regions.counts) - regions.counts
    rows = [np.arange(source[r], source[r] + regions.counts[r]) for r in order]
    vectors = regions.vectors[np.concatenate([np.zeros(0, np.intp), *rows]).astype(np.intp)]
    spans: list[tuple[int, int, int]] = []
    for region, first, count in zip(order, firsts.tolist(), counts.tolist(), strict=True):
        if count and spans and spans[-1][0] == owners[region]:
            spans[-1] = (owners[region], spans[-1][1], spans[-1][2] + count)
        elif count:
            spans.append((owners[region], first, count))
    if embedder.visual_kind == "patches":
        ordinals = {ordinal for ordinal, _, _ in spans}
        patches = [(regions.boxes[r], int(firsts[at]), int(counts[at])) for at, r in enumerate(order) if counts[at]]
        spans += _shared_spans([(n, e) for n, e in enumerate(elements) if n not in ordinals], patches)
    boxes = np.array([regions.boxes[r].as_tuple() for r in order], np.float32).reshape(-1, 4)
    return MultiVector(vectors, tuple(spans), *stage_codes(vectors, embedder), embedder.packing, boxes, counts)


def stage_codes(vectors: NDArray[Any], embedder: TextEmbedder | VisualEmbedder) -> tuple[bytes, bytes]:
    """Return the bytes that the first and the second stage of search compare for a page's vectors (n, d).

    These are codes and residuals of the embedder's codebook, or a sketch and nothing if it has none.
    """
    book = embedder.codebook()
    if book is None:
        return embedder.packing.pack(sketch(vectors, rows_for(embedder.dim))), b""
    codes = encode_tokens(vectors, book)
    return codes.codes.tobytes(), codes.residuals.tobytes()


def _owner(region: BBox, elements: Sequence[Element]) -> int:
    """Return the ordinal of the smallest element around the middle of a region; NO_ELEMENT if there is none."""
    x, y = (region.x0 + region.x1) / 2, (region.y0 + region.y1) / 2
    around = [
        (e.bbox.area, n)
        for n, e in enumerate(elements)
        if e.kind not in SILENT_KINDS and e.bbox.x0 <= x <= e.bbox.x1 and e.bbox.y0 <= y <= e.bbox.y1
    ]
    return min(around)[1] if around else NO_ELEMENT


def _shared_spans(
    missing: Sequence[tuple[int, Element]], regions: Sequence[tuple[BBox, int, int]]
) -> list[tuple[int, int, int]]:
    """Return, for elements without a region, the span of the region that they overlap most, if there is any."""
    spans = []
    for ordinal, element in missing:
        overlaps = [(element.bbox.overlap(box), -at) for at, (box, _, _) in enumerate(regions) if box.area <= WHOLE]
        if element.kind not in SILENT_KINDS and overlaps and max(overlaps)[0] > 0:
            spans.append((ordinal, *regions[-max(overlaps)[1]][1:]))
    return spans


def _text_vectors(elements: Sequence[Element], embedder: TextEmbedder) -> MultiVector:
    """Return the multi-vector of a page's text, element after element."""
    searchable = [(n, e) for n, e in enumerate(elements) if e.kind not in SILENT_KINDS]
    vectors = embedder.embed_passages([passage(e) for _, e in searchable])
    spans: list[tuple[int, int, int]] = []
    at = 0
    for (ordinal, _), token_vectors in zip(searchable, vectors, strict=True):
        if len(token_vectors.vectors):
            spans.append((ordinal, at, len(token_vectors.vectors)))
            at += len(token_vectors.vectors)
    rows = np.concatenate([np.zeros((0, embedder.dim), np.int8), *(token_vectors.vectors for token_vectors in vectors)])
    return MultiVector(rows, tuple(spans), *stage_codes(rows, embedder), embedder.packing)
