"""What the metrics count, and that they tell numbers alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rag import RagError
from rag.events import Answered, Checked, Event
from rag.types import Sentence
from tests.ui.stand_ins import answer
from ui.errors import Interrupted
from ui.web.metrics import Metrics

SECRET = "the question that nobody is to read"


def counted(metrics: Metrics, line: str) -> float:
    """The number behind a line of the metrics; 0 where there is none."""
    found = [told for told in metrics.text().decode().splitlines() if told.startswith(line)]
    return float(found[0].rpartition(" ")[2]) if found else 0.0


def whole(metrics: Metrics, *events: Event, error: Exception | None = None) -> None:
    def work() -> Iterator[Event]:
        yield from events
        if error is not None:
            raise error

    for _ in metrics.observe_answer("ask", work()):
        pass


def test_answers_are_counted_by_how_they_ended() -> None:
    metrics = Metrics()
    whole(metrics, Answered(answer(Sentence(SECRET, (), "quoted"))))
    whole(metrics, Answered(answer()))
    with pytest.raises(RagError):
        whole(metrics, error=RagError(SECRET))
    with pytest.raises(Interrupted):
        whole(metrics, error=Interrupted(SECRET))
    for outcome in ("answered", "abstained", "failed", "stopped"):
        assert counted(metrics, f'vouch_answers_total{{kind="ask",outcome="{outcome}"}}') == 1.0
    assert counted(metrics, 'vouch_answer_seconds_count{kind="ask"}') == 4.0
    assert SECRET not in metrics.text().decode()


def test_an_answer_that_nobody_waited_for_is_stopped_and_its_work_is_closed() -> None:
    metrics, closed = Metrics(), []

    def work() -> Iterator[Event]:
        try:
            yield Checked(0, Sentence(SECRET, (), "quoted"))
            yield Answered(answer())
        finally:
            closed.append(True)

    events = metrics.observe_answer("check", work())
    next(events)
    events.close()
    assert closed == [True]
    assert counted(metrics, 'vouch_answers_total{kind="check",outcome="stopped"}') == 1.0
