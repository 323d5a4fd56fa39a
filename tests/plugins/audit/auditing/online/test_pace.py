"""The pace: one request at a time, a pause between two, for all who ask the same service."""

from __future__ import annotations

import threading

import pytest

from plugins.audit.auditing.online.service import Clock, Pace, pace_of
from plugins.audit.errors import SourceUnreachable
from tests.plugins.audit.record_service import WaitlessClock


def test_a_turn_waits_for_what_is_left_of_the_pause() -> None:
    pace, clock = Pace(), WaitlessClock()
    with pace.turn(clock, 3.0):
        pass
    clock._now += 1.0
    with pace.turn(clock, 3.0):
        pass
    assert clock.waits == [2.0]
    pace.delay(clock, 10.0)
    with pace.turn(clock, 3.0):
        pass
    assert clock.waits == [2.0, 10.0]


def test_one_turn_at_a_time() -> None:
    pace, clock = Pace(), WaitlessClock()
    inside: list[int] = []
    most: list[int] = []

    def ask() -> None:
        with pace.turn(clock, 0.0):
            inside.append(1)
            most.append(len(inside))
            inside.pop()

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 8


def test_a_service_has_one_pace_in_a_process() -> None:
    assert pace_of("a service of the tests") is pace_of("a service of the tests")
    assert pace_of("a service of the tests") is not pace_of("another")


def test_waiting_ends_when_it_is_stopped() -> None:
    clock = Clock()
    threading.Timer(0.05, clock.stop).start()
    with pytest.raises(SourceUnreachable, match="stopped"):
        clock.wait(60)
    assert clock.now() <= clock.now()
