"""Reading a text closely: which passage counts, what the heading is worth, and words that stand for their opposite."""

from __future__ import annotations

import pytest

from rag.attribution.claims import TextReading, claims_of, read_text


def read(sentence: str, text: str, *around: str) -> TextReading:
    found = read_text(claims_of(sentence), text, "text", [claims_of(piece) for piece in around])
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("denies", "says"),
    [
        (
            "grinds no wheat today.",
            "But the mill at the harbour of Ribe grinds plenty of wheat of the finest sort today.",
        ),
        (
            "never grinds wheat today, said Holm.",
            "The mill in Ribe, as everyone there knows, grinds plenty of wheat today.",
        ),
    ],
)
def test_a_passage_that_denies_it_does_not_hide_one_that_says_it(denies: str, says: str) -> None:
    text = f"The mill in Ribe {denies} {says}"
    assert read("Today the mill in Ribe grinds wheat.", text).objections == ()


def test_two_halves_of_a_sentence_may_change_places_with_their_opposite_words() -> None:
    text = "Before the middle of May the birds pass through, and after the middle of July the young have flown."
    turned = "After the middle of July the young have flown; before the middle of May the birds pass through."
    assert read(turned, text).objections == ()


def test_a_denial_reaches_the_words_after_it_not_the_first_alone() -> None:
    text = "No broken hull was repaired by the crew."
    assert read("The crew did not repair the broken hull.", text).objections == ()
