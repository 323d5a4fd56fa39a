"""Turns: what is known at each moment, that a stop holds, and that nobody sees another's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from rag import Sentence
from rag.events import Checked, Event
from tests.ui.stand_ins import citation
from ui.errors import BadRequest
from ui.web.ask.turns import AskRequest, Turn

ASKED = AskRequest.of("samples", "Why?")
PROVEN = Sentence("It fell.", (citation(),), "confirmed", "it says so")


def failing(error: Exception) -> Iterator[Event]:
    yield Checked(0, PROVEN)
    raise error


def test_a_bug_is_told_without_its_secrets(caplog: pytest.LogCaptureFixture) -> None:
    turn = Turn(ASKED)
    turn.run(failing(ZeroDivisionError("a secret")))
    assert "secret" not in turn.now.error
    assert "a secret" in caplog.text


class Source:
    """Events that come when they are let through, and that know whether they were closed."""

    def __init__(self) -> None:
        self.gate = threading.Semaphore(0)
        self.closed = threading.Event()

    def events(self) -> Iterator[Event]:
        try:
            for n in range(10):
                assert self.gate.acquire(timeout=20)
                yield Checked(n, PROVEN)
        finally:
            self.closed.set()


def test_a_stop_holds_at_once_and_closes_the_events_with_the_next_one() -> None:
    source, turn = Source(), Turn(ASKED)
    work = threading.Thread(target=turn.run, args=(source.events(),))
    work.start()
    following = turn.follow()
    next(following)
    source.gate.release()
    assert len(next(following).sentences) == 1
    turn.stop()
    assert next(following).state == "stopped"
    assert list(following) == []
    assert not source.closed.is_set()
    source.gate.release()
    work.join(20)
    assert source.closed.is_set()
    assert len(turn.now.sentences) == 1


@pytest.mark.parametrize(
    "odd", [{"name": ["samples"]}, {"name": {"a": 1}}, {"mode": ["text"]}, {"method": {}}, {"documents": [["a.pdf"]]}]
)
def test_what_no_widget_gives_becomes_no_turn(odd: dict[str, Any]) -> None:
    """Gradio passes a list on where a box gives a word; a turn with one could never be shown again."""
    name = odd.pop("name", "samples")
    with pytest.raises(BadRequest, match="by words"):
        AskRequest.of(name, "Why?", **odd)
