"""The list of conversations, and the buttons on a kept answer: nothing is markup, everything has a spoken name."""

from __future__ import annotations

from hypothesis import given

from rag import Sentence
from rag.events import Answered
from tests.ui.markup import ANY_TEXT, harmless, read
from tests.ui.stand_ins import answer, citation
from ui.state import Conversation, Feedback
from ui.web.ask.page import conversations_html
from ui.web.ask.turn_html import turn_html
from ui.web.ask.turns import AskRequest, Keeping, Turn

FELL, ROSE = (Sentence(text, (citation(n),), "quoted") for n, text in enumerate(("It fell.", "It rose."), 1))


def kept(keeping: Keeping | None) -> str:
    turn = Turn(AskRequest.of("samples", "Why?"))
    turn.run(iter([Answered(answer(FELL, ROSE))]))
    turn.keeping = keeping
    return turn_html(turn, turn.now)


@given(ANY_TEXT)
def test_no_text_becomes_markup(text: str) -> None:
    harmless(conversations_html([Conversation("c" * 32, text, "2026-01-01T00:00:00", 2)], "", text))
    harmless(kept(Keeping("x", {1: Feedback("wrong", text)})))


def test_the_open_conversation_is_marked_and_can_be_taken_away() -> None:
    found = [Conversation(name * 32, name, "2026-01-01T00:00:00", 1) for name in "ab"]
    html = read(conversations_html(found, "b" * 32))
    assert html.values("aria-current") == ["true"]
    assert html.values("href") == [f"vouch/export/{name * 32}/{form}" for name in "ab" for form in ("markdown", "json")]
    assert "No conversation contains these words" in conversations_html([], "", "mill")
    assert "appear here" in conversations_html([], "", None)


def test_each_sentence_has_buttons_that_say_which_it_is_about() -> None:
    html = read(kept(Keeping(judged={2: Feedback("wrong place", "a line up")})))
    pressed = dict(zip(html.values("data-judge"), html.values("aria-pressed"), strict=False))
    assert html.values("data-judge") == ["right", "wrong", "wrong place"] * 2
    assert html.values("aria-pressed") == ["false"] * 5 + ["true"]
    assert pressed["wrong place"] == "true"
    assert "Sentence 2: wrong place" in html.values("aria-label")
    assert html.values("data-act") == ["share"]
