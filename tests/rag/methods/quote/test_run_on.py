"""Sentences that a column or a page cuts in two, or that lead into a list: each part is cited, nothing else joined."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from indexing import Element
from rag import Citation, Evidence, Sentence
from rag.methods.quote.run_on import MOST_ITEMS, MOST_LISTED, MOST_WORDS, whole_sentence
from tests.support import fakes

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


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        ("All boats of the fleet sail", "at nine.", "All boats of the fleet sail at nine."),
        ("Read what the keeper calls self-", "made.", "Read what the keeper calls self-made."),
        ("Read what the keeper calls pre-", "made.", "Read what the keeper calls premade."),
    ],
)
def test_a_hyphen_stays_where_the_pages_write_the_word_with_one(first: str, second: str, text: str) -> None:
    near = [fakes.element(t, "d", 1, n) for n, t in enumerate((first, second, "A self-made gauge."))]
    assert joined(near[0], first, *near)[0].text == text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("All boats of the fleet sail", "At nine it rains."),
        ("Boats sail", "at nine."),
        ("All boats of the fleet sail", "at nine " * MOST_WORDS),
    ],
)
def test_what_does_not_go_on_is_left_alone(first: str, second: str) -> None:
    near = [fakes.element(first, "d", 1, 1), fakes.element(second.strip(), "d", 1, 2)]
    sentence, halves = joined(near[0], first, *near)
    assert (sentence.text, halves) == (first, [])


def test_rows_and_pictures_are_not_joined() -> None:
    for kind in ("table", "picture", "list"):
        element = replace(FIRST, kind=kind)
        assert joined(element, "It rains.", element, SECOND)[1] == []


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


def test_half_a_sentence_that_leads_into_a_list_takes_it_too() -> None:
    lead = fakes.element("It rains. All boats of the fleet must", "d", 1, 1)
    items = (
        fakes.element("• sail at nine;", "d", 1, 2, kind="list"),
        fakes.element("• carry a lamp.", "d", 1, 3, kind="list"),
    )
    whole, halves = joined(lead, "All boats of the fleet must", lead, *items, AFTER)
    assert whole.text == "All boats of the fleet must sail at nine; carry a lamp."
    assert [c.quote for c in whole.citations] == ["All boats of the fleet must", "sail at nine;", "carry a lamp."]
    assert [h.element for h in halves] == list(items)


def explained(heading: str, **told: Any) -> tuple[Element, Element]:
    term = fakes.element(heading, "d", 1, 1, kind="heading")
    return term, replace(fakes.element("Accounts of users. Others are below.", "d", 1, 2), section=(heading,), **told)


def test_a_term_stands_before_the_text_that_explains_it() -> None:
    term, text = explained("1000-59999:")
    whole, halves = joined(text, "Accounts of users.", term, text)
    assert whole.text == "1000-59999: Accounts of users."
    assert [(c.label, c.quote) for c in whole.citations] == [("E1", "Accounts of users."), ("E1a", "1000-59999:")]
    assert [h.element for h in halves] == [term]
    assert joined(text, "Others are below.", term, text)[0].text == "1000-59999: Others are below."


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
        (AFTER,),
        (AFTER, *ITEMS),
        tuple(replace(ITEMS[0], id=f"d-{n}") for n in range(MOST_ITEMS + 1)),
        (replace(ITEMS[0], text="• boats " * MOST_LISTED),),
    ],
    ids=["no list", "not at once", "too many", "too long"],
)
def test_what_leads_into_no_short_list_stays_alone(items: tuple[Element, ...]) -> None:
    quote = "The fall of the fleet's revenue was due to:"
    assert joined(LEAD, quote, LEAD, *items) == joined(LEAD, quote, LEAD)


@pytest.mark.parametrize(
    ("heading", "between", "page"),
    [
        ("1000-59999", "", 1),
        ("All of the numbers that users can have:", "", 1),
        ("Users:", "It rains.", 1),
        ("Users:", "", 2),
    ],
    ids=["no colon", "too long", "of another text", "on another page"],
)
def test_another_heading_is_no_term(heading: str, between: str, page: int) -> None:
    term, text = explained(heading, page=page)
    other = [fakes.element(between, "d", 1, 3)] if between else []
    assert joined(text, "Accounts of users.", term, *other, text)[1] == []
