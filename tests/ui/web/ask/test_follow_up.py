"""Follow-ups: which questions stand alone, what the others are about, and that their search leaves nothing out."""

from __future__ import annotations

import pytest

from ui.web.ask.follow_up import followed_by, is_follow_up
from ui.web.ask.turns import AskRequest


@pytest.mark.parametrize(
    "question",
    [
        "And in 2023?", "Why?", "In which year?", "What about the roof of the mill and its cellar walls?",
        "How many barrels does it hold?", "Wie hoch sind sie?", "Tell me more", "More details please",
        "What happened next?", "Please explain further.", "Was geschah danach?",
    ],
)  # fmt: skip
def test_what_points_back_is_a_follow_up(question: str) -> None:
    assert is_follow_up(question)


@pytest.mark.parametrize(
    "question",
    [
        "When was the mill built by Anna Holm?",
        "How do I reset the device?", "How many seats are there at Mint Wharf?",
        "Why did fewer people travel to Gull Island?", "What happened in Harbour Street?",
        "Tell me more about the bridge repairs.",
        "Which countries signed the treaty, and what were their reasons for doing so?",
    ],
)  # fmt: skip
def test_what_stands_alone_is_none(question: str) -> None:
    assert not is_follow_up(question)


@pytest.mark.parametrize(
    ("last", "previous", "about"),
    [
        ("Who built the mill?", (), ("Who built the mill?",)),
        ("And when?", ("Who built the mill?",), ("Who built the mill?",)),
        ("Tell me more", ("Who built the mill?", "And its roof?"), ("Who built the mill?", "And its roof?")),
        ("And its roof?", ("Who built the mill?",), ("Who built the mill?", "And its roof?")),
        ("And in 1931?", ("Who built the mill?", "And its roof?"), ("Who built the mill?", "And in 1931?")),
    ],
)
def test_a_chain_goes_back_to_what_stood_alone(last: str, previous: tuple[str, ...], about: tuple[str, ...]) -> None:
    assert followed_by(AskRequest.of("mills", last, earlier=previous)) == about
