"""What a visual embedder made of a page, ordered by the elements it lies in."""

from __future__ import annotations

from dataclasses import replace

from indexing import BBox
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
