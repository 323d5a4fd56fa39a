"""Captions find their figures, and groups are the unions that people mark as one."""

import pytest
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


def groups(elements: list[Element]) -> dict[tuple[int, ...], Element]:
    """The groups of a page by the numbers of their parts, from 1."""
    numbers = {e.id: n for n, e in enumerate(elements, 1)}
    made = (e for e in with_groups(elements) if e.kind == "group")
    return {tuple(numbers[part] for part in group.parts): group for group in made}


REPORT = page(
    ("heading", "Results", (0.1, 0.05, 0.4, 0.08)),
    ("text", "Sales rose in every region.", (0.1, 0.09, 0.9, 0.2)),
    ("picture", "", (0.1, 0.28, 0.9, 0.5)),
    ("text", "Figure 1: Sales by region", (0.1, 0.51, 0.5, 0.53)),
    ("text", "Source: annual report", (0.1, 0.54, 0.4, 0.56)),
    ("text", "Costs, however, rose faster.", (0.1, 0.7, 0.9, 0.9)),
)
TITLED = page(
    ("text", "Elsewhere", (0.1, 0.05, 0.4, 0.2)),
    ("heading", "Most people read", (0.1, 0.40, 0.6, 0.43)),
    ("picture", "", (0.1, 0.44, 0.6, 0.7)),
    ("footnote", "Note: adults only", (0.1, 0.71, 0.4, 0.73)),
    ("text", "Below", (0.1, 0.85, 0.9, 0.95)),
)
LIST = page(
    ("text", "An opening paragraph.", (0.1, 0.05, 0.9, 0.2)),
    ("text", "You need:", (0.1, 0.30, 0.3, 0.32)),
    ("list", "flour", (0.1, 0.33, 0.5, 0.35)),
    ("list", "eggs", (0.1, 0.36, 0.5, 0.38)),
    ("text", "Then mix.", (0.1, 0.6, 0.9, 0.8)),
)
COLUMNS = page(
    ("list", "one", (0.1, 0.5, 0.4, 0.55)),
    ("list", "two", (0.1, 0.6, 0.4, 0.65)),
    ("list", "three", (0.6, 0.1, 0.9, 0.15)),
    ("list", "four", (0.6, 0.2, 0.9, 0.25)),
)
HEADED = page(
    ("heading", "First", (0.1, 0.1, 0.4, 0.13)),
    ("text", "one", (0.1, 0.15, 0.9, 0.3)),
    ("text", "two", (0.1, 0.32, 0.9, 0.4)),
    ("heading", "Second", (0.1, 0.42, 0.4, 0.45)),
    ("text", "three", (0.1, 0.47, 0.9, 0.6)),
)
SLIDE = page(*(("text", f"{x} {y}", (x, y, x + 0.3, y + 0.08)) for x in (0.1, 0.6) for y in (0.1, 0.2, 0.3)))
BACKGROUND = page(
    ("picture", "", (0.0, 0.0, 1.0, 1.0)),
    ("text", "a", (0.1, 0.1, 0.4, 0.2)),
    ("text", "b", (0.1, 0.22, 0.4, 0.3)),
    ("text", "c", (0.6, 0.7, 0.9, 0.8)),
)


@pytest.mark.parametrize(
    ("elements", "joined", "apart"),
    [
        (REPORT, [(3, 4), (3, 4, 5)], []), (TITLED, [(2, 3, 4)], []), (LIST, [(3, 4), (2, 3, 4)], []),
        (COLUMNS, [(1, 2), (3, 4)], [(2, 3)]), (HEADED, [(1, 2, 3), (4, 5)], []),
        (SLIDE, [(1, 2, 3), (4, 5, 6), (1, 2, 3, 4, 5, 6)], [(3, 4)]), (BACKGROUND, [(2, 3)], []),
    ],
    ids=["caption and note", "title and note", "list", "columns", "headings", "a slide", "background"],
)  # fmt: skip
def test_what_people_mark_as_one_is_a_group(
    elements: list[Element], joined: list[tuple[int, ...]], apart: list[tuple[int, ...]]
) -> None:
    made = groups(elements)
    assert made.keys() >= set(joined)
    assert not made.keys() & set(apart)
    assert [g.id for g in made.values()] == [f"doc-3-g{n}" for n in range(1, len(made) + 1)]
    assert all(g.text == "\n".join(t for n in parts if (t := elements[n - 1].text)) for parts, g in made.items())
    once = with_groups(elements)
    assert with_groups(once) == once


@pytest.mark.parametrize(
    ("text", "top", "is_caption"),
    [
        ("Table 2: Revenue", 0.52, True), ("Fig. 4", 0.52, True), ("Figure 3.", 0.52, True),
        ("Exhibit 1-2 The road", 0.52, True), ("Abbildung 7 Umsatz", 0.52, True),
        ("Tableau IV. Chiffre d'affaires", 0.52, True), ("(amounts in millions, except per share data)", 0.52, True),
        ("Figure 3 shows that sales rose", 0.52, False), ("Tables are listed below", 0.52, False),
        ("Mapping 3 things", 0.52, False), ("Sales by region", 0.52, False),
        ("Shares in thousands of hands.", 0.52, False), ("Figure 1: Sales", 0.7, False),
    ],
)  # fmt: skip
def test_text_near_a_figure_is_a_caption_by_its_label(text: str, top: float, is_caption: bool) -> None:
    elements = page(("picture", "", (0.1, 0.1, 0.9, 0.5)), ("text", text, (0.1, top, 0.6, top + 0.03)))
    figure, line = with_groups(elements)[:2]
    assert (line.kind == "caption") is is_caption
    assert figure.caption == (text if is_caption else "")


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
