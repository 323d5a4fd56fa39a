"""Sentences that a column or a page cuts in two: both halves are cited, and nothing else is joined."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexing import Element
from rag import Citation, Evidence, Sentence
from rag.methods.quote.run_on import MOST_WORDS, whole_sentence
from tests.support import fakes

FIRST = fakes.element("It rains. The reply of the harbour master is the error mes-", "d", 1, 1)
SECOND = fakes.element("sage from the tide gauge. It snows.", "d", 2, 1)


def joined(element: Element, quote: str, *around: Element) -> tuple[Sentence, list[Evidence]]:
    said = Evidence("E1", element, "a.pdf", 1.0)
    start = element.text.index(quote)
    sentence = Sentence(quote, (Citation.of(said, quote, ()),), "quoted")
    return whole_sentence(sentence, said, (start, start + len(quote)), lambda _: around)


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
        ("All boats of the fleet sail.", "at nine."),
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
