"""Frames are taken off a sentence, and sentences that claim nothing are told from claims."""

from __future__ import annotations

import time

import pytest

from rag.attribution.claims import claimed, claims_nothing

QUESTION = "How many ferries left Bergen in 2019?"


@pytest.mark.parametrize(
    ("sentence", "rest"),
    [
        ("According to the table, the share fell.", "the share fell."),
        ("Therefore, we can conclude that sales rose.", "sales rose."),
        ("The chart shows that Oslo grew.", "Oslo grew."),
        ("The answer is: Bergen.", "Bergen."),
        ("Costs fell, as shown in the figure.", "Costs fell."),
        ("According to Anna Holm, the mill was sold.", "According to Anna Holm, the mill was sold."),
    ],
)
def test_frames_are_taken_off(sentence: str, rest: str) -> None:
    assert claimed(sentence) == rest


@pytest.mark.parametrize(
    "sentence",
    [
        "To answer the question, we need to look at the table.",
        "To determine how many ferries left Bergen in 2019, let's examine the provided images.",
        "The provided text does not mention any ferries.",
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
        "To be exact, we counted 41 ferries.",
        "The report shows that the ferries were late.",
    ],
)
def test_what_may_be_true_or_false_is_a_claim(sentence: str) -> None:
    assert claims_nothing(sentence, QUESTION) == ""


def test_hostile_sentences_take_no_time() -> None:
    started = time.process_time()
    for text in ("to " * 5000, "we can " * 3000, ", as " * 4000, "not " * 1500, "the image 1 " * 2000, " that" * 3000):
        claims_nothing(text[:12_000], QUESTION)
    assert time.process_time() - started < 20
