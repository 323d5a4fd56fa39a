"""Sentences that a column or a page cuts in two, or that lead into a list: each part is cited, nothing else joined."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from indexing import BBox, Element
from rag import Citation, Evidence, Sentence
from rag.methods.quote.run_on import MOST_ITEMS, MOST_LISTED, MOST_WORDS, SUBJECT_WORDS, whole_sentence, with_subject
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


def test_a_heading_parts_sentences() -> None:
    heading = fakes.element("Tides", "d", 1, 2, kind="heading")
    assert joined(FIRST, "The reply of the harbour master is the error mes-", FIRST, heading, SECOND)[1] == []


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


def test_a_list_may_be_longer_than_a_sentence() -> None:
    items = tuple(replace(ITEMS[0], id=f"d-{n}", text="boats " * (MOST_WORDS // 2)) for n in range(3))
    whole, _ = joined(LEAD, "The fall of the fleet's revenue was due to:", LEAD, *items, AFTER)
    assert MOST_WORDS < len(whole.text.split()) <= MOST_LISTED


@pytest.mark.parametrize(
    ("lead", "taken"),
    [
        ("There are a few causes that the office knows.", True),
        ("The office knows three causes of it.", True),
        ("Why did the revenue fall?", True),
        ("The three of them were told, and two of four believed it.", True),
        ("The office knows four causes of it.", False),
        ("The office knows the causes of it.", False),
    ],
)
def test_a_whole_sentence_takes_the_list_that_it_announces(lead: str, taken: bool) -> None:
    element = fakes.element(f"It rains. {lead}", "d", 1, 1)
    whole, halves = joined(element, lead, element, *ITEMS, AFTER)
    assert whole.text == (f"{lead} fewer boats; dearer diesel; (c) a storm in May." if taken else lead)
    assert [h.element for h in halves] == (list(ITEMS) if taken else [])


def test_an_item_that_a_page_cuts_in_two_is_told_whole() -> None:
    first = fakes.element("Storms: these are winds that keep boats", "d", 1, 2, kind="list")
    rest = fakes.element("in the harbour.", "d", 2, 1)
    last = fakes.element("Diesel: its price.", "d", 2, 2, kind="list")
    lead = fakes.element("There are two causes.", "d", 1, 1)
    whole, halves = joined(lead, lead.text, lead, first, rest, last, AFTER)
    assert whole.text == (
        "There are two causes. Storms: these are winds that keep boats in the harbour. Diesel: its price."
    )
    assert [h.element for h in halves] == [first, rest, last]
    below = replace(rest, page=1, bbox=first.bbox)
    assert joined(lead, lead.text, lead, first, below, last, AFTER)[1] == []


def test_one_item_is_not_announced_nor_are_ten() -> None:
    lead = fakes.element("There are a few causes.", "d", 1, 1)
    many = tuple(replace(ITEMS[0], id=f"d-{n}") for n in range(10))
    for items in (ITEMS[:1], many):
        assert joined(lead, lead.text, lead, *items, AFTER)[1] == []


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


def set_in(text: str, ordinal: int, by: float = 0.05, **told: Any) -> Element:
    element = fakes.element(text, "d", 1, ordinal)
    x0, y0, x1, y1 = element.bbox.as_tuple()
    return replace(element, bbox=BBox(x0 + by, y0, x1, y1), **told)


@pytest.mark.parametrize("kind", ["text", "heading"])
def test_a_line_set_apart_goes_on_with_the_sentence(kind: str) -> None:
    lead, line = (
        fakes.element("It rains. You can start the mill by", "d", 1, 1),
        set_in("TIDE=9 make mill", 2, kind=kind),
    )
    rest = fakes.element("as long as it is dry. Then it snowed.", "d", 1, 3)
    whole, halves = joined(lead, "You can start the mill by", lead, line, rest)
    assert whole.text == "You can start the mill by TIDE=9 make mill as long as it is dry."
    assert [c.quote for c in whole.citations][1:] == ["TIDE=9 make mill", "as long as it is dry."]
    assert [h.element for h in halves] == [line, rest]
    assert joined(lead, "You can start the mill by", lead, line, AFTER)[1][0].element == line


def test_what_is_set_in_below_a_colon_belongs_to_what_leads_into_it() -> None:
    lead, line = fakes.element("You start the mill as follows:", "d", 1, 1), set_in("Turn it on; wait.", 2)
    whole, _ = joined(lead, lead.text, lead, line, AFTER)
    assert whole.text == "You start the mill as follows: Turn it on; wait."


@pytest.mark.parametrize(
    "below",
    [
        set_in("TIDE=9 make mill", 2, by=0.0),
        set_in("TIDE=9 make mill", 3),
        set_in("TIDE=9 make mill", 2, by=0.5),
        set_in("TIDE=9 make mill", 2, page=2),
        set_in("TIDE=9 make mill", 2, kind="caption"),
        set_in("The mill grinds rye, and does so well.", 2),
        set_in("TIDE " * 60, 2),
    ],
)
def test_what_stands_elsewhere_or_is_a_sentence_does_not(below: Element) -> None:
    lead = replace(fakes.element("It rains. You can start the mill by", "d", 1, 1), bbox=BBox(0.1, 0.05, 0.5, 0.09))
    assert joined(lead, "You can start the mill by", lead, below)[1] == []


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


@pytest.mark.parametrize("heading", ["1000-59999", "All of the numbers that users can have:"])
def test_another_heading_is_no_term(heading: str) -> None:
    term, text = explained(heading)
    assert joined(text, "Accounts of users.", term, text)[1] == []


def test_a_term_of_another_text_or_page_stays_away() -> None:
    term, text = explained("Users:")
    between = fakes.element("It rains.", "d", 1, 3)
    assert joined(text, "Accounts of users.", term, between, text)[1] == []
    assert joined(replace(text, page=2), "Accounts of users.", term, replace(text, page=2))[1] == []


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


def test_a_sentence_within_what_leads_into_a_list_stays_alone() -> None:
    assert joined(LEAD, "It rains.", LEAD, *ITEMS)[1] == []


MILL = "The old mill stands at the ferry."


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ("It grinds rye.", True),
        ("This is why boats wait.", True),
        ("Boats do this work.", False),
        ("Boats wait at the old mill of the ferry as they do so.", False),
        ("This mill grinds rye.", False),
        ("It is important to wait.", False),
        ("Italy grinds rye.", False),
        ("The keeper says it grinds rye.", False),
    ],
)
def test_what_begins_with_a_pronoun_comes_with_the_sentence_before(second: str, told: bool) -> None:
    text = f"{MILL} {second}"
    assert with_subject(text, (0, len(MILL)), len(MILL) + 1) == (0 if told else len(MILL) + 1)
    assert with_subject(second, None, 0) == 0


@pytest.mark.parametrize("before", ["Rye " * (SUBJECT_WORDS + 1), "of rye that waits. "], ids=["too long", "half"])
def test_no_long_sentence_and_no_rest_of_one_comes_with_a_pronoun(before: str) -> None:
    assert with_subject(f"{before}It grinds.", (0, len(before) - 1), len(before)) == len(before)


def areas(*texts: str, left: float = 0.1) -> list[Element]:
    """Headings with these texts, each over a text of its own, below the sentence that counts them."""
    found = []
    for n, text in enumerate(texts):
        heading = fakes.element(text, "d", 1, 2 + 2 * n, kind="heading")
        found += [replace(heading, bbox=BBox(left, 0.2 + n / 20, 0.5, 0.21 + n / 20))]
        found += [fakes.element("We sail there every day.", "d", 1, 3 + 2 * n)]
    return found


@pytest.mark.parametrize("lead", ["We sail in 3 areas:", "We sail in three areas:", "There are three areas of ours."])
def test_headings_are_the_things_that_a_sentence_counts(lead: str) -> None:
    element, below = fakes.element(lead, "d", 1, 1), areas("Bays", "Rivers", "Lakes", "Crews")
    whole, halves = joined(element, lead, element, *below)
    assert whole.text == f"{lead} Bays; Rivers; Lakes"
    assert [h.element.text for h in halves] == ["Bays", "Rivers", "Lakes"]


@pytest.mark.parametrize(
    ("lead", "below"),
    [
        ("We sail in 4 areas:", areas("Bays", "Rivers", "Lakes")),
        ("We sail in 3 areas and 2 bays:", areas("Bays", "Rivers", "Lakes")),
        ("We sail in version 3.1:", areas("Bays", "Rivers", "Lakes")),
        ("We sail in 2 areas:", [*areas("Bays"), *areas("Rivers", left=0.4)]),
        ("We sail in 2 areas:", [fakes.element("It rains.", "d", 1, 2), *areas("Bays", "Rivers")]),
    ],
)
def test_headings_that_are_not_so_many_or_not_alike_are_others(lead: str, below: list[Element]) -> None:
    element = fakes.element(lead, "d", 1, 1)
    whole, halves = joined(element, lead, element, *below)
    assert (whole.text, halves) == (lead, [])
