"""Frames are taken off a sentence, and sentences that claim nothing are told from claims."""

from __future__ import annotations

import pytest

from rag.attribution.words import claims_nothing, strip_frames

QUESTION = "How many ferries left Bergen in 2019?"


@pytest.mark.parametrize(
    ("sentence", "rest"),
    [
        ("According to the table, the share fell.", "the share fell."),
        ("The chart shows that Oslo grew.", "Oslo grew."),
        ("The answer is: Bergen.", "Bergen."),
        ("Costs fell, as shown in the figure.", "Costs fell."),
        ("According to Anna Holm, the mill was sold.", "According to Anna Holm, the mill was sold."),
    ],
)
def test_frames_are_taken_off(sentence: str, rest: str) -> None:
    assert strip_frames(sentence) == rest


@pytest.mark.parametrize(
    "sentence",
    [
        "To answer the question, we need to look at the table.",
        "To determine how many ferries left Bergen in 2019, let's examine the provided images.",
        "The table shows the relevant information:",
        "Based on the provided information, here is the answer.",
        "Is this the whole list?",
    ],
)
def test_what_claims_nothing(sentence: str) -> None:
    assert claims_nothing(sentence, QUESTION)


@pytest.mark.parametrize(
    "sentence",
    [
        "In 2019 four ferries left Bergen.",
        "It was 43%.",
        "Bergen.",
        "No.",
        "We can see that sales rose.",
        "The mill was not built in 1887.",
        "The table does not mention Anna Holm.",
        "The report shows that the ferries were late.",
    ],
)
def test_what_may_be_true_or_false_is_a_claim(sentence: str) -> None:
    assert claims_nothing(sentence, QUESTION) == ""
