"""Pieces that can be quoted: lines, rows, and sentences that go on."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing import BBox, Element, Hints, Words
from indexing.types import Kind
from rag import Citation, Evidence, RankedPage, Sentence
from rag.methods.quote.pieces import MOST_COLUMNS, named_labels, pieces, read_row
from rag.methods.quote.regions import REGION_FEATURES, candidate_regions, choose
from rag.methods.quote.run_on import MOST_ITEMS, MOST_LISTED, whole_sentence
from rag.types import CandidateRegion
from tests.rag.calculation import tables
from tests.support import fakes

WIDTH, HEIGHT = 0.01, 0.02
"""The width of a letter and the height of a line in these pictures, as shares of the page."""


def drawn(*lines: tuple[float, float, str]) -> Element:
    """A picture with lines of words, each (left, top, text)."""
    text, spans, boxes, numbers = "", [], [], []
    for number, (left, top, line) in enumerate(lines):
        at = left
        for word in line.split():
            text += " " if text else ""
            spans.append((len(text), len(text) + len(word)))
            boxes.append((at, top, at + WIDTH * len(word), top + HEIGHT))
            numbers.append(number)
            text += word
            at += WIDTH * (len(word) + 1)
    words = Words(np.array(spans, np.int32), np.array(boxes, np.float32), np.array(numbers, np.int32))
    return replace(fakes.element(text, kind="picture"), words=words)


def said(element: Element) -> list[str]:
    return [element.text[a:b] for a, b in pieces(element)]


KINDS = st.sampled_from(["text", "table", "list", "caption", "picture", "heading"])


@pytest.mark.parametrize(
    "text",
    [
        "Care of the boats . . . . . . . . 14",
        "Care of the boats in winter and in summer ................",
    ],
)
def test_lines_of_contents_are_no_quote_unless_they_are_meant(text: str) -> None:
    assert pieces(fakes.element(text)) == []
    assert pieces(fakes.element(text), contents=True)


@pytest.mark.parametrize(
    ("text", "kind", "quoted"),
    [
        ("The mill was built in 1887. It grinds rye. Dr. Holm owns it.", "text",
         ["The mill was built in 1887.", "It grinds rye.", "Dr. Holm owns it."]),
        ("Town | Seats\nMerrow | 12\n- | -\nQuay | 9", "table", ["Town | Seats", "Merrow | 12", "Quay | 9"]),
        ("Nine barrels. Cider press.", "formula", ["Nine barrels. Cider press."]),
        ("Boats that leave on time", "heading", ["Boats that leave on time"]),
        ("Fatalities:150", "text", ["Fatalities:150"]),
        ("Seats 40", "text", ["Seats 40"]),
        ("WARNING.", "text", []),
        ("\u2022 Fully 87% of them sail.", "list", ["Fully 87% of them sail."]),
        ("\u2013 \u2022 Fully 87% of them sail.", "list", ["Fully 87% of them sail."]),
        ("\uf0a7 Fully 87% of them sail.", "list", ["Fully 87% of them sail."]),
        ("- - -", "list", ["-"]),
        ("-5% less than last year.", "list", ["-5% less than last year."]),
        ("> > Close the gate.", "list", ["Close the gate."]),
        ("> 5 mm of rain", "list", ["> 5 mm of rain"]),
        ("³ The boats sail. ⁴The crews do, too. ²³⁵U is heavy.", "text",
         ["The boats sail.", "The crews do, too.", "²³⁵U is heavy."]),
        ("The boats waited ... and then they left at noon.", "text",
         ["The boats waited ... and then they left at noon."]),
        ("Boats ........ 3\nCrews | 9\nPorts | 12", "table", ["Crews | 9", "Ports | 12"]),
        ("100 90 Departures on time 88 91 94", "picture", []),
        ("1912 1913 boats sailed", "picture", []),
        ("9 boats", "picture", []),
    ],
)  # fmt: skip
def test_what_can_be_quoted_of_an_element(text: str, kind: Kind, quoted: list[str]) -> None:
    assert said(fakes.element(text, kind=kind)) == quoted


MILL = "The old mill stands at the ferry."


def test_a_short_label_of_a_picture_is_a_piece_where_it_has_a_name_that_is_asked_for() -> None:
    picture = drawn((0.1, 0.1, "Haya"), (0.1, 0.12, "Deals"), (0.5, 0.1, "Pranav"), (0.1, 0.5, "Haya 3 FE"))
    assert [picture.text[a:b] for a, b in named_labels(picture, ("haya", "Ada"))] == ["Haya Deals"]
    assert named_labels(picture, ("Ada",)) == named_labels(picture, ()) == []
    assert named_labels(fakes.element("Haya Deals"), ("Haya",)) == []


def table(*rows: tuple[str, ...], heads: int = 1) -> Element:
    return tables.table(rows, heads)


def row(element: Element, text: str, question: str) -> str | None:
    start = element.text.index(text)
    read = read_row(element, start, start + len(text), question)
    return read.text if read else None


FERRIES = table(("Ferry", "Seats", "Crew"), ("Merrow", "120", "4"), ("Quay", "90", "3"))


def test_the_cell_that_is_asked_for_is_read_with_its_heads() -> None:
    assert row(FERRIES, "Merrow | 120 | 4", "How many seats has the Merrow?") == "Merrow | Seats: 120"
    assert row(FERRIES, "Quay | 90 | 3", "Tell me about the Quay") == "Quay | Seats: 90; Crew: 3"


def test_its_boxes_are_the_cells_and_their_heads() -> None:
    start = FERRIES.text.index("Merrow")
    read = read_row(FERRIES, start, start + 16, "How many seats?")
    assert read is not None
    by_text = {FERRIES.text[c.start : c.end]: c.bbox for c in FERRIES.cells}
    assert read.boxes == (by_text["Merrow"], by_text["120"])
    assert read.heads == (by_text["Seats"],)


def test_the_first_row_of_a_list_is_no_head() -> None:
    signs = table(
        ("Harbor light on", "Fog horn sounding"), ("Harbor light off", "Tide gauge ready"), ("Lock open", "Pump on")
    )
    assert row(signs, "Lock open | Pump on", "When is the lock open?") is None
    exhibits = table(("(4.1)", "Charter of the ferry line"), ("(4.2)", "Lease of the quay, as amended"))
    assert row(exhibits, "(4.2) | Lease", "What is in exhibit 4.2?") is None
    kinds = table(('"boat"', "BOAT"), ('"quay"', "a place to moor a boat"), ('"buoy"', "a mark of the fairway"))
    assert row(kinds, '"quay" | a place', "What is a quay?") is None


def test_what_is_no_row_with_heads_is_left_as_it_stands() -> None:
    assert row(FERRIES, "Merrow | 120 | 4\nQuay", "seats") is None
    assert row(table(("Merrow", "120"), ("Quay", "90"), heads=0), "Merrow | 120", "seats") is None
    assert row(FERRIES, "Ferry | Seats | Crew", "seats") is None
    assert read_row(fakes.element("Merrow sails."), 0, 5, "seats") is None
    wide = ("Ferry", *(f"Day {n}" for n in range(MOST_COLUMNS + 1)))
    assert row(table(wide, ("Merrow", *"123456789")), "Merrow", "seats") is None


FIRST = fakes.element("It rains. The reply of the harbour master is the error mes-", "d", 1, 1)
SECOND = fakes.element("sage from the tide gauge. It snows.", "d", 2, 1)


def joined(element: Element, quote: str, *around: Element) -> tuple[Sentence, list[Evidence]]:
    said = Evidence("E1", element, "a.pdf", 1.0)
    start = element.text.index(quote)
    sentence = Sentence(quote, (Citation.of(said, quote, ()),), "quoted")
    return whole_sentence(sentence, said, (start, start + len(quote)), around, lambda _: around)


def test_both_halves_are_found_from_either_and_cited() -> None:
    figure = fakes.element("12 14 16", "d", 2, 0, kind="picture")
    whole = "The reply of the harbour master is the error message from the tide gauge."
    forward, halves = joined(FIRST, "The reply of the harbour master is the error mes-", FIRST, figure, SECOND)
    assert forward.text == whole
    assert [(c.label, c.page, c.quote) for c in forward.citations] == [
        ("E1", 1, "The reply of the harbour master is the error mes-"),
        ("E1b", 2, "sage from the tide gauge."),
    ]
    assert [(h.label, h.element.id) for h in halves] == [("E1b", SECOND.id)]
    backward, _ = joined(SECOND, "sage from the tide gauge.", FIRST, figure, SECOND)
    assert backward.text == whole
    assert [c.label for c in backward.citations] == ["E1", "E1a"]


LEAD = fakes.element("It rains. The fall of the fleet's revenue was due to:", "d", 1, 1)
ITEMS = (
    fakes.element("• fewer boats;", "d", 1, 2, kind="list"),
    fakes.element("• dearer diesel", "d", 1, 3, kind="list"),
    fakes.element("(c) a storm in May.", "d", 2, 1, kind="list"),
)
AFTER = fakes.element("Then it snowed.", "d", 2, 2)


def test_what_leads_into_a_list_takes_it_and_cites_each_item() -> None:
    whole, halves = joined(LEAD, "The fall of the fleet's revenue was due to:", LEAD, *ITEMS, AFTER)
    assert whole.text == ("The fall of the fleet's revenue was due to: fewer boats; dearer diesel; (c) a storm in May.")
    assert [(c.label, c.page, c.quote) for c in whole.citations[1:]] == [
        ("E1b", 1, "fewer boats;"),
        ("E1c", 1, "dearer diesel"),
        ("E1d", 2, "(c) a storm in May."),
    ]
    assert [h.element for h in halves] == list(ITEMS)


def explained(heading: str, **told: Any) -> tuple[Element, Element]:
    term = fakes.element(heading, "d", 1, 1, kind="heading")
    return term, replace(fakes.element("Accounts of users. Others are below.", "d", 1, 2), section=(heading,), **told)


def test_an_option_stands_before_its_explanation_with_a_colon() -> None:
    term, text = explained("--user=<number> [default: 1000]")
    whole, _ = joined(text, "Accounts of users.", term, text)
    assert whole.text == "--user=<number> [default: 1000]: Accounts of users."
    assert [c.quote for c in whole.citations] == ["Accounts of users.", "--user=<number> [default: 1000]"]
    other = replace(text, id="d-1-9", text="It must be free.")
    assert joined(other, "It must be free.", term, text, other)[0].text.startswith(
        "--user=<number> [default: 1000]: It"
    )


@pytest.mark.parametrize(
    "items",
    [
        (AFTER,), (AFTER, *ITEMS), tuple(replace(ITEMS[0], id=f"d-{n}") for n in range(MOST_ITEMS + 1)),
        (replace(ITEMS[0], text="• boats " * MOST_LISTED),),
    ],
    ids=["no list", "not at once", "too many", "too long"],
)  # fmt: skip
def test_what_leads_into_no_short_list_stays_alone(items: tuple[Element, ...]) -> None:
    quote = "The fall of the fleet's revenue was due to:"
    assert joined(LEAD, quote, LEAD, *items) == joined(LEAD, quote, LEAD)


@pytest.mark.parametrize(
    ("heading", "between", "page"),
    [
        ("1000-59999", "", 1), ("All of the numbers that users can have:", "", 1), ("Users:", "It rains.", 1),
        ("Users:", "", 2),
    ],
    ids=["no colon", "too long", "of another text", "on another page"],
)  # fmt: skip
def test_another_heading_is_no_term(heading: str, between: str, page: int) -> None:
    term, text = explained(heading, page=page)
    other = [fakes.element(between, "d", 1, 3)] if between else []
    assert joined(text, "Accounts of users.", term, *other, text)[1] == []


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


def at(y0: float, y1: float, p: float, page: int = 1) -> CandidateRegion:
    element = replace(fakes.element("Words.", page=page), bbox=BBox(0.1, y0, 0.9, y1))
    return CandidateRegion(element, p, ("E1",))


@given(st.lists(st.tuples(st.floats(0.01, 0.99), st.integers(0, 17)), max_size=12), st.integers(1, 5))
def test_a_choice_is_short_disjoint_and_best_first(made: list[tuple[float, int]], most: int) -> None:
    regions = [at(0.05 * y, 0.05 * y + 0.08, p) for p, y in made]
    chosen = choose(regions, most)
    assert len(chosen) <= most
    assert bool(chosen) == bool(regions)
    assert [r.probability for r in chosen] == sorted((r.probability for r in chosen), reverse=True)
    assert all(a.element.bbox.iou(b.element.bbox) <= 0.3 for n, a in enumerate(chosen) for b in chosen[:n])
