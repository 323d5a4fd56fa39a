"""Quantities: what is one, what only looks like one, and which say the same."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.language import Quantity, Scale, agree, quantities, scale_of


def only(text: str) -> Quantity:
    found = quantities(text)
    assert len(found) == 1, [text[q.start : q.end] for q in found]
    return found[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12.5%", "12.5 percent"),
        ("12,5 %", "12.5%"),
        ("1.2M", "1,200,000"),
        ("1.2 million", "1,200,000"),
        ("US$5m", "5 million dollars"),
        ("(3.4)", "-3.4"),
        ("three", "3"),
        ("twenty-one boats", "21 boats"),
        ("two hundred and five", "205"),
        ("Q1 2021", "first quarter of 2021"),
        ("3Q19", "Q3 2019"),
        ("31 December 2024", "December 31, 2024"),
        ("31.12.2024", "2024-12-31"),
        ("27/03/2021", "27 March 2021"),
        ("03/27/2021", "27 March 2021"),
        ("04/05/2021", "5 April 2021"),
        ("5 km", "5,000 metres"),
        ("4 yd", "12 feet"),
        ("elf Boote", "11 boats"),
        ("180 seconds", "3 minutes"),
        ("2 h 5 min", "125 minutes"),
        ("1 year and 3 months", "15 months"),
        ("8:15", "08:15"),
        ("9.30 a.m.", "9:30 am"),
        ("5 pm", "17:00"),
        ("12 am", "0:00"),
        ("half past four", "4:30"),
        ("a quarter to six", "5:45"),
        ("9 o'clock", "nine"),
        ("1.234.567,8 Euro", "€1,234,567.8"),
        ("16 000", "16,000"),
        ("1½", "1.5"),
        ("\uff11\uff12", "12"),
    ],
)  # fmt: skip
def test_the_same_in_other_words(one: str, other: str) -> None:
    assert agree(only(one), only(other))
    assert agree(only(other), only(one))


@pytest.mark.parametrize(
    ("asked", "there"),
    [
        ("12.5%", "12.5"), ("12.5%", "12.6%"), ("5%", "5 percentage points"), ("$5", "€5"), ("-3.4", "3.4"),
        ("3.4 million", "3.4 billion"), ("5 km", "5 miles"), ("Q1 2021", "Q1 2020"), ("31 March 2021", "2021"),
        ("Table 2", "Table 3"), ("2", "Table 2"), ("at least 5", "at most 5"), ("1.3 million", "1,236,000"),
        ("2 million", "2.41 million"), ("1990s", "1990"), ("8:15", "8:50"), ("9 am", "9 pm"), ("4:30 pm", "4:30"),
        ("4:30", "16:30"), ("6 am", "six"), ("2:50:05", "2:50:50"), ("2 h 5 min", "2 h"), ("9:10", "9.1"),
        ("9:00", "9 kg"),
    ],
)  # fmt: skip
def test_not_the_same(asked: str, there: str) -> None:
    assert not agree(only(asked), only(there))


@pytest.mark.parametrize(
    ("asked", "there"),
    [("2021", "31 March 2021"), ("1.2 million", "1,236,000"), ("about 2 million", "2.41 million"), ("100", "over 100")],
)
def test_less_precise_but_right(asked: str, there: str) -> None:
    assert agree(only(asked), only(there))
    assert not agree(only(there.replace("over", "under")), only(asked.replace("100", "101")))


@pytest.mark.parametrize(
    "text",
    ["GPT-4", "TG-40", "CR2477", "v2.0", "see 3.2.1", "gets its people home.1", "1. Open the valve", "A380"],
)
def test_false_friends(text: str) -> None:
    assert quantities(text) == []


@pytest.mark.parametrize("text", ["(about 12)", "(of the boats 12)", "12)"])
def test_a_bracket_that_closes_is_no_minus(text: str) -> None:
    assert (only(text).value, only(text).sign) == (12, "")


def test_labels_and_references_are_not_numbers() -> None:
    found = quantities("Table 2 of [12, 13], page 5")
    assert [(q.kind, q.unit, q.value) for q in found] == [
        ("label", "table", 2), ("label", "[", 12), ("label", "[", 13), ("label", "page", 5),
    ]  # fmt: skip


def test_a_unit_is_shared_over_a_range() -> None:
    assert [(q.value, q.unit) for q in quantities("10 to 15 percent")] == [(10, "%"), (15, "%")]
    assert [q.year for q in quantities("in 2018-19")] == [2018, 2019]


@pytest.mark.parametrize(
    ("head", "scale"),
    [
        ("in thousands of dollars", Scale(1e3, "$")), ("($ millions)", Scale(1e6, "$")), ("€'000", Scale(1e3, "€")),
        ("(Dollars in millions)", Scale(1e6, "$")), ("Change (%)", Scale(1.0, "%")), ("(Millions)", Scale(1e6)),
        ("In thousands of litres", Scale(1e3, "l")), ("At December 31, 2018", Scale()), ("58 %", Scale()),
        ("(in euros)", Scale(1.0, "€")), ("Fares (US$)", Scale(1.0, "$")),
        ("rose by 3 million", Scale()), ("boardings in 2024, in thousands.", Scale(1e3)),
    ],
)  # fmt: skip
def test_the_scale_of_a_head(head: str, scale: Scale) -> None:
    assert scale_of(head) == scale


def test_a_time_may_leave_out_the_half_of_the_day() -> None:
    assert agree(only("4:30"), only("4:30 pm"))
    assert agree(only("six"), only("6 p.m."))
    assert agree(only("10"), only("10:00"))
    assert not agree(only("16:30"), only("4:30 am"))


def test_a_half_of_the_day_is_shared_over_a_range() -> None:
    assert [(q.kind, q.value / 3600) for q in quantities("open 9 to 11 am")] == [("clock", 9), ("clock", 11)]
    assert [q.kind for q in quantities("open 9 to 5 pm")] == ["number", "clock"]


def test_what_only_looks_like_a_time() -> None:
    assert [q.kind for q in quantities("five to ten people")] == ["number", "number"]
    assert [(q.kind, q.value) for q in quantities("20 minutes to 2 hours")] == [("number", 1200), ("number", 7200)]
    assert [q.kind for q in quantities("Table 3 am Rand")] == ["label"]
    assert [q.value for q in quantities("5 m, 3 s")] == [5, 3]


def test_a_scale_counts_for_numbers_that_have_none_of_their_own() -> None:
    thousands = Scale(1e3, "$")
    assert agree(only("$20.25 million"), only("20,250"), thousands)
    assert agree(only("20,250"), only("20,250"), thousands)
    assert not agree(only("$20,250"), only("20,250"), thousands)
    assert agree(only("4.6%"), only("4.6%"), thousands)


PIECES = st.sampled_from(
    ["1,234", "$", "(3.4)", "%", "Q1 2021", "-", " ", "\n", "three", "million", ".", "é", "٣", "²"]
)


@given(st.text(max_size=80) | st.lists(PIECES, max_size=30).map("".join))
def test_quantities_are_in_order_and_inside_the_text(text: str) -> None:
    found = quantities(text)
    assert all(0 <= q.start < q.end <= len(text) for q in found)
    assert all(a.start < b.start for a, b in pairwise(found))


@given(st.integers(0, 10**9), st.sampled_from(["", "%", " km", " million"]))
def test_what_is_written_agrees_with_itself_with_and_without_commas(value: int, unit: str) -> None:
    texts = f"it was {value}{unit} then", f"it was {value:,}{unit} then"
    one, other = (quantities(t)[0] for t in texts)
    assert agree(one, other)
    assert agree(other, one)
