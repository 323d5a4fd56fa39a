"""What a visual embedder made of a page, ordered by the elements it lies in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from indexing import BBox, RegionVectors
from indexing.embed.visual.patch_grids import cells
from indexing.store.multivectors import NO_ELEMENT, by_element
from tests.indexing.patchwork import Patchwork, numbered
from tests.support import fakes

WHOLE = BBox(0, 0, 1, 1)


def test_patches_go_to_the_element_at_their_middle_and_the_whole_page_to_none() -> None:
    halves = (BBox(0, 0, 0.5, 1), BBox(0.5, 0, 1, 1))
    elements = tuple(replace(fakes.element("half", ordinal=n), bbox=box) for n, box in enumerate(halves, 1))
    seen = numbered((*cells(2, 2), WHOLE))
    multi = by_element(elements, seen, Patchwork())
    assert multi.spans == ((0, 0, 2), (1, 2, 2), (NO_ELEMENT, 4, 1))
    assert multi.vectors[:, 0].tolist() == [1, 3, 2, 4, 5]
    assert [tuple(box) for box in multi.boxes[:2].tolist()] == [(0, 0, 0.5, 0.5), (0, 0.5, 0.5, 1)]
    assert multi.counts.tolist() == [1, 1, 1, 1, 1]


def test_an_element_between_the_middles_of_patches_borrows_the_one_it_shares_most_with() -> None:
    line = replace(fakes.element("a line"), bbox=BBox(0.1, 0.40, 0.45, 0.48))
    multi = by_element((line,), numbered(cells(2, 2)), Patchwork())
    assert multi.spans == ((NO_ELEMENT, 0, 4), (0, 0, 1))
    words = by_element((line,), numbered(cells(2, 2)), Patchwork(visual_kind="words"))
    assert words.spans == ((NO_ELEMENT, 0, 4),)


def test_owners_that_the_embedder_knows_are_taken() -> None:
    elements = tuple(fakes.element(text, ordinal=n) for n, text in enumerate(("one", "two"), 1))
    seen = numbered((WHOLE, elements[1].bbox, elements[0].bbox))
    known = RegionVectors(seen.vectors, seen.counts, seen.boxes, np.array([NO_ELEMENT, 1, 0], np.int32))
    multi = by_element(elements, known, Patchwork(visual_kind="space"))
    assert multi.spans == ((0, 0, 1), (1, 1, 1), (NO_ELEMENT, 2, 1))
    assert multi.vectors[:, 0].tolist() == [3, 2, 1]


def test_a_page_without_regions_is_empty() -> None:
    multi = by_element((fakes.element("text"),), numbered(()), Patchwork())
    assert (multi.spans, multi.codes, len(multi.vectors), len(multi.boxes)) == ((), b"", 0, 0)


def test_the_sketch_is_stored_as_the_vectors_are() -> None:
    multi = by_element((), numbered(cells(2, 2)), Patchwork())
    assert len(multi.codes) == 4 * Patchwork().packing.width == 16
