"""What could be cited, how probable that is, and what is chosen of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing import BBox, Element, Hints
from rag import Evidence, RankedPage
from rag.methods.quote.regions import REGION_FEATURES, candidate_regions, choose
from rag.types import CandidateRegion
from tests.support import fakes


def group(parts: Sequence[Element], ordinal: int = 15) -> Element:
    """The union of elements of a page."""
    boxes = [e.bbox.as_tuple() for e in parts]
    around = BBox(*(min(b[i] for b in boxes) for i in (0, 1)), *(max(b[i] for b in boxes) for i in (2, 3)))
    text = " ".join(e.text for e in parts)
    made = fakes.element(text, parts[0].doc_id, parts[0].page, ordinal, kind="group")
    return replace(made, bbox=around, parts=tuple(e.id for e in parts))


def evidence(*elements: Element) -> list[Evidence]:
    return [Evidence(f"E{n}", e, "d.pdf", 1.0 - n / 10) for n, e in enumerate(elements, 1)]


def found(elements: Sequence[Element], retrieved: Sequence[Element], **other: Any) -> list[CandidateRegion]:
    items = evidence(*retrieved)
    pages = [RankedPage("d", "d.pdf", 1, 1.0), RankedPage("d", "d.pdf", 2, 0.6)]
    around: dict[tuple[str, int], list[Element]] = {}
    for e in elements:
        around.setdefault((e.doc_id, e.page), []).append(e)
    return candidate_regions(items, other.get("words", [0.5] * len(items)), pages, around, other.get("hints", Hints()))


def test_what_was_retrieved_and_every_group_that_holds_it_could_be_cited() -> None:
    a, b, c = (fakes.element(f"Paragraph number {n}.", ordinal=n) for n in (1, 2, 3))
    ab, bc = group([a, b]), group([b, c], 16)
    regions = found([a, b, c, ab, bc], [a])
    assert {r.element.id for r in regions} == {a.id, ab.id}
    assert all(r.labels == ("E1",) for r in regions)
    assert all(0.0 < r.probability < 1.0 and len(r.values) == len(REGION_FEATURES) for r in regions)


def test_a_group_over_a_large_part_of_the_page_is_not_cited() -> None:
    far, near = fakes.element("One.", ordinal=1), fakes.element("Two.", ordinal=14)
    assert {r.element.kind for r in found([far, near, group([far, near])], [far, near])} == {"text"}


def test_a_group_names_the_evidence_in_it_best_first() -> None:
    a, b = fakes.element("One.", ordinal=1), fakes.element("Two.", ordinal=2)
    whole = next(r for r in found([a, b, group([a, b])], [b, a]) if r.element.kind == "group")
    assert whole.labels == ("E1", "E2")
    assert whole.values[REGION_FEATURES.index("cover")] == pytest.approx(
        (a.bbox.area + b.bbox.area) / group([a, b]).bbox.area
    )


def at(y0: float, y1: float, p: float, page: int = 1) -> CandidateRegion:
    element = replace(fakes.element("Words.", page=page), bbox=BBox(0.1, y0, 0.9, y1))
    return CandidateRegion(element, p, ("E1",))


def test_one_of_regions_that_lie_over_one_another() -> None:
    paragraph, section, elsewhere = at(0.1, 0.2, 0.4), at(0.1, 0.4, 0.6), at(0.7, 0.8, 0.5)
    assert choose([paragraph, section, elsewhere], 3) == [section, elsewhere]
    other_page = at(0.1, 0.4, 0.5, page=2)
    assert choose([section, other_page], 3) == [section, other_page]


def test_what_lowers_the_expected_f1_is_left_out() -> None:
    assert len(choose([at(0.1, 0.2, 0.8), at(0.3, 0.4, 0.1)], 3)) == 1
    assert len(choose([at(0.1, 0.2, 0.3), at(0.3, 0.4, 0.28), at(0.5, 0.6, 0.27)], 3)) == 3


def test_what_holds_the_best_quote_comes_first() -> None:
    quoted, table = replace(at(0.1, 0.2, 0.2), labels=("E4",)), at(0.3, 0.6, 0.7)
    wider = replace(at(0.05, 0.2, 0.4), labels=("E4", "E9"))
    assert choose([table, quoted, wider], 2, "E4") == [wider, table]
    assert choose([table], 2, "E4") == [table]


@given(st.lists(st.tuples(st.floats(0.01, 0.99), st.integers(0, 17)), max_size=12), st.integers(1, 5))
def test_a_choice_is_short_disjoint_and_best_first(made: list[tuple[float, int]], most: int) -> None:
    regions = [at(0.05 * y, 0.05 * y + 0.08, p) for p, y in made]
    chosen = choose(regions, most)
    assert len(chosen) <= most
    assert bool(chosen) == bool(regions)
    assert [r.probability for r in chosen] == sorted((r.probability for r in chosen), reverse=True)
    assert all(a.element.bbox.iou(b.element.bbox) <= 0.3 for n, a in enumerate(chosen) for b in chosen[:n])
