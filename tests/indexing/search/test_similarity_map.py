"""The similarity map of a page: MaxSim of every region, of whatever number of vectors."""

from __future__ import annotations

import numpy as np
import pytest

from indexing import BBox, QueryVectors, RegionVectors
from indexing.search.page_vectors import region_scores, regions_on_page


def test_the_map_is_the_weighted_mean_of_the_best_cosines() -> None:
    vectors = np.array([[127, 0], [0, 127], [0, 127]], np.int8)
    seen = RegionVectors(vectors, np.array([2, 0, 1], np.int32), (BBox(0, 0, 1, 0.1),) * 3)
    query = QueryVectors(np.eye(2, dtype=np.float32), np.array([0.25, 0.75], np.float32), ("a", "b"))
    assert region_scores(seen, query).tolist() == pytest.approx([1.0, 0.0, 0.75])


def test_a_page_without_regions_and_a_query_without_words_have_no_map() -> None:
    none = RegionVectors(np.zeros((0, 2), np.int8), np.zeros(0, np.int32), ())
    query = QueryVectors(np.zeros((0, 2), np.float32), np.zeros(0, np.float32), ())
    assert region_scores(none, query).tolist() == []
    one = RegionVectors(np.full((1, 2), 9, np.int8), np.ones(1, np.int32), (BBox(0, 0, 1, 1),))
    assert region_scores(one, query).tolist() == [0.0]


def test_what_covers_the_whole_page_and_what_is_no_box_stands_nowhere() -> None:
    vectors = np.arange(10, dtype=np.int8).reshape(5, 2)
    boxes = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4], [0.5, 0.5, 0.5, 0.6]], np.float32)
    found = regions_on_page(vectors, boxes, np.array([2, 2, 1], np.int32))
    assert [b.as_tuple() for b in found.boxes] == [pytest.approx((0.1, 0.2, 0.3, 0.4))]
    assert found.counts.tolist() == [2]
    assert found.vectors.tolist() == vectors[2:4].tolist()
