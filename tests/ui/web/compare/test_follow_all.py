"""Several turns followed at once: all of them as they stand, and each of them to its end."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from rag.events import Answered, Drafted, Event
from tests.ui.stand_ins import answer
from ui.web.ask.turns import AskRequest, Turn
from ui.web.compare.comparisons import follow_all


def events(text: str, gate: threading.Event) -> Iterator[Event]:
    yield Drafted(0, text, ())
    assert gate.wait(10)
    yield Answered(answer())


def running(gate: threading.Event, *texts: str) -> list[Turn]:
    turns = [Turn(AskRequest.of("c", text)) for text in texts]
    for turn in turns:
        threading.Thread(target=turn.run, args=(events(turn.asked.question.text, gate),)).start()
    return turns


def test_the_last_moments_are_those_of_the_end() -> None:
    gate = threading.Event()
    gate.set()
    *_, last = follow_all(running(gate, "a", "b", "c"))
    assert [moment.state for moment in last] == ["done"] * 3


def test_what_is_there_is_told_while_others_go_on() -> None:
    gate, shut = threading.Event(), threading.Event()
    quick, slow = *running(gate, "quick"), *running(shut, "slow")
    seen = follow_all([quick, slow])
    gate.set()
    moments = next(m for m in seen if m[0].state == "done")
    assert moments[1].state == "busy"
    slow.stop()
    *_, last = seen
    assert [moment.state for moment in last] == ["done", "stopped"]
    shut.set()


def test_whoever_stops_looking_stops_nothing() -> None:
    gate = threading.Event()
    (turn,) = running(gate, "a")
    looking = follow_all([turn])
    next(looking)
    looking.close()
    gate.set()
    assert [m.state for m in turn.follow()][-1] == "done"
