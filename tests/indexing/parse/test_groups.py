"""Captions find their figures, and groups are the unions that people mark as one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.parse.groups import with_groups
from indexing.types import BBox, Element, Kind

KINDS: tuple[Kind, ...] = (
    "text", "heading", "list", "table", "picture", "caption", "formula", "footnote", "header", "footer"
)  # fmt: skip
Given = tuple[Kind, str, tuple[float, float, float, float]]


def page(*parts: Given) -> list[Element]:
    return [
        Element(f"doc-3-{n}", "doc", 3, kind, text, BBox(*box), "layer") for n, (kind, text, box) in enumerate(parts, 1)
    ]


def groups(elements: list[Element]) -> list[Element]:
    return [e for e in with_groups(elements) if e.kind == "group"]


def group_of(elements: list[Element], *numbers: int) -> Element | None:
    """The group whose parts are the elements with these numbers, from 1."""
    parts = tuple(elements[n - 1].id for n in numbers)
    return next((g for g in groups(elements) if g.parts == parts), None)


REPORT = page(
    ("heading", "Results", (0.1, 0.05, 0.4, 0.08)),
    ("text", "Sales rose in every region.", (0.1, 0.09, 0.9, 0.2)),
    ("picture", "", (0.1, 0.28, 0.9, 0.5)),
    ("text", "Figure 1: Sales by region", (0.1, 0.51, 0.5, 0.53)),
    ("text", "Source: annual report", (0.1, 0.54, 0.4, 0.56)),
    ("text", "Costs, however, rose faster.", (0.1, 0.7, 0.9, 0.9)),
)


def test_caption_and_figure_know_each_other() -> None:
    tied = with_groups(REPORT)
    assert tied[2].caption == "Figure 1: Sales by region"
    assert tied[3].kind == "caption"
    assert group_of(REPORT, 3, 4) is not None


def test_notes_under_a_chart_join_it_and_stay_text() -> None:
    assert group_of(REPORT, 3, 4, 5) is not None
    assert with_groups(REPORT)[4].kind == "text"


def test_title_above_a_chart_joins_it() -> None:
    elements = page(
        ("text", "Elsewhere", (0.1, 0.05, 0.4, 0.2)),
        ("heading", "Most people read", (0.1, 0.40, 0.6, 0.43)),
        ("picture", "", (0.1, 0.44, 0.6, 0.7)),
        ("footnote", "Note: adults only", (0.1, 0.71, 0.4, 0.73)),
        ("text", "Below", (0.1, 0.85, 0.9, 0.95)),
    )
    assert group_of(elements, 2, 3, 4) is not None


@pytest.mark.parametrize(
    ("text", "is_caption"),
    [
        ("Table 2: Revenue", True),
        ("Fig. 4", True),
        ("Figure 3.", True),
        ("Exhibit 1-2 The road", True),
        ("Abbildung 7 Umsatz", True),
        ("Tableau IV. Chiffre d'affaires", True),
        ("Figure 3 shows that sales rose", False),
        ("Tables are listed below", False),
        ("Mapping 3 things", False),
        ("Sales by region", False),
    ],
)
def test_text_beside_a_figure_is_a_caption_by_its_label(text: str, is_caption: bool) -> None:
    elements = page(("picture", "", (0.1, 0.1, 0.9, 0.5)), ("text", text, (0.1, 0.52, 0.6, 0.55)))
    figure, line = with_groups(elements)[:2]
    assert (line.kind == "caption") is is_caption
    assert figure.caption == (text if is_caption else "")


def test_caption_far_from_any_figure_stays_text() -> None:
    elements = page(("picture", "", (0.1, 0.1, 0.9, 0.3)), ("text", "Figure 1: Sales", (0.1, 0.6, 0.6, 0.63)))
    assert [e.kind for e in with_groups(elements)[:2]] == ["picture", "text"]


def test_caption_goes_to_the_sort_it_names_then_to_the_nearest() -> None:
    elements = page(
        ("picture", "", (0.1, 0.1, 0.9, 0.3)),
        ("caption", "Table 1: Costs", (0.1, 0.31, 0.5, 0.33)),
        ("table", "a | b", (0.1, 0.36, 0.9, 0.5)),
        ("caption", "Costs again", (0.1, 0.51, 0.5, 0.53)),
    )
    assert [e.caption for e in with_groups(elements)[:3]] == ["", "", "Table 1: Costs Costs again"]


def test_list_items_are_one_list_with_the_line_above() -> None:
    elements = page(
        ("text", "An opening paragraph.", (0.1, 0.05, 0.9, 0.2)),
        ("text", "You need:", (0.1, 0.30, 0.3, 0.32)),
        ("list", "flour", (0.1, 0.33, 0.5, 0.35)),
        ("list", "eggs", (0.1, 0.36, 0.5, 0.38)),
        ("list", "milk", (0.1, 0.39, 0.5, 0.41)),
        ("text", "Then mix.", (0.1, 0.6, 0.9, 0.8)),
    )
    assert group_of(elements, 3, 4, 5) is not None
    whole = group_of(elements, 2, 3, 4, 5)
    assert whole is not None
    assert whole.text == "You need:\nflour\neggs\nmilk"


def test_list_ends_where_the_next_column_begins() -> None:
    elements = page(
        ("list", "one", (0.1, 0.5, 0.4, 0.55)),
        ("list", "two", (0.1, 0.6, 0.4, 0.65)),
        ("list", "three", (0.6, 0.1, 0.9, 0.15)),
        ("list", "four", (0.6, 0.2, 0.9, 0.25)),
    )
    assert group_of(elements, 1, 2) is not None
    assert group_of(elements, 3, 4) is not None
    assert group_of(elements, 2, 3) is None


def test_heading_joins_what_follows_it() -> None:
    elements = page(
        ("heading", "First", (0.1, 0.1, 0.4, 0.13)),
        ("text", "one", (0.1, 0.15, 0.9, 0.3)),
        ("text", "two", (0.1, 0.32, 0.9, 0.4)),
        ("heading", "Second", (0.1, 0.42, 0.4, 0.45)),
        ("text", "three", (0.1, 0.47, 0.9, 0.6)),
    )
    assert group_of(elements, 1, 2, 3) is not None
    assert group_of(elements, 4, 5) is not None


def test_columns_of_a_slide_are_blocks() -> None:
    columns: list[Given] = [
        ("text", f"{x} {y}", (x, y, x + 0.3, y + 0.08)) for x in (0.1, 0.6) for y in (0.1, 0.2, 0.3)
    ]
    elements = page(*columns)
    assert group_of(elements, 1, 2, 3) is not None
    assert group_of(elements, 4, 5, 6) is not None
    assert group_of(elements, 1, 2, 3, 4, 5, 6) is not None
    assert group_of(elements, 3, 4) is None


def test_background_picture_does_not_tie_blocks_together() -> None:
    elements = page(
        ("picture", "", (0.0, 0.0, 1.0, 1.0)),
        ("text", "a", (0.1, 0.1, 0.4, 0.2)),
        ("text", "b", (0.1, 0.22, 0.4, 0.3)),
        ("text", "c", (0.6, 0.7, 0.9, 0.8)),
    )
    assert group_of(elements, 2, 3) is not None


@pytest.mark.parametrize("n", [0, 1])
def test_page_with_nothing_to_join_is_unchanged(n: int) -> None:
    assert with_groups(REPORT[:n]) == tuple(REPORT[:n])


def test_group_is_an_element_of_its_page() -> None:
    made = groups(REPORT)
    assert [g.id for g in made] == [f"doc-3-g{n}" for n in range(1, len(made) + 1)]
    assert {(g.doc_id, g.page, g.source, g.cells, len(g.words)) for g in made} == {("doc", 3, "layer", (), 0)}


def test_grouping_again_changes_nothing() -> None:
    once = with_groups(REPORT)
    assert with_groups(once) == once


@st.composite
def pages(draw: st.DrawFn) -> list[Element]:
    edges = st.tuples(st.integers(0, 99), st.integers(1, 60))
    parts: list[Given] = []
    for _ in range(draw(st.integers(0, 14))):
        (x, w), (y, h) = draw(edges), draw(edges)
        box = (x / 100, y / 100, min(x + w, 100) / 100, min(y + h, 100) / 100)
        text = draw(st.one_of(st.text(max_size=12), st.sampled_from(["Figure 1", "Table 2: x", "Source: y"])))
        parts.append((draw(st.sampled_from(KINDS)), text, box))
    return page(*parts)


@given(pages())
def test_any_page_keeps_its_elements_and_gains_distinct_groups(elements: list[Element]) -> None:
    found = with_groups(elements)
    kept, made = found[: len(elements)], found[len(elements) :]
    assert [(e.id, e.text, e.bbox) for e in kept] == [(e.id, e.text, e.bbox) for e in elements]
    assert all(after.kind in (before.kind, "caption") for before, after in zip(elements, kept, strict=True))
    assert len(made) <= len(elements)
    boxes = {e.id: e.bbox for e in elements}
    for n, group in enumerate(made):
        assert len(set(group.parts)) == len(group.parts) >= 2
        assert group.bbox == BBox.union(boxes[part] for part in group.parts)
        assert all(group.bbox.iou(other.bbox) <= 0.9 + 1e-9 for other in (*elements, *made[:n]))


def test_a_unit_beside_a_table_is_its_caption() -> None:
    elements = page(
        ("heading", "Balance sheets", (0.1, 0.05, 0.6, 0.08)),
        ("text", "(amounts in millions, except per share data)", (0.3, 0.09, 0.7, 0.11)),
        ("table", "Cash | 5", (0.1, 0.12, 0.9, 0.4)),
        ("text", "Shares in thousands of hands.", (0.1, 0.42, 0.9, 0.44)),
    )
    tied = with_groups(elements)
    assert tied[2].caption == "(amounts in millions, except per share data)"
    assert [e.kind for e in tied[:4]] == ["heading", "caption", "table", "text"]
