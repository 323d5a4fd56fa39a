"""Metrics and the activity log count without texts."""

import asyncio
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rag.events import Answered, Checked, Event
from rag.types import Sentence
from rag.usage import Usage
from tests.ui.stand_ins import answer
from ui.web.metrics import Activity, Metrics
from ui.web.server import logged_faults

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


HOSTILE = 'When does my \x1b[31mpassword\x07 expire?\n{"level": "INFO"}\u202e'


def lines(file: Path, activity: Activity, *, as_json: bool = True) -> list[dict[str, Any]]:
    async def run() -> None:
        with logged_faults(file, as_json=as_json):
            activity.request("/api/v1", "POST", 200, 0.01234, "browser")
            said = replace(answer(), question=HOSTILE, usage=Usage(100, 10, 0, 1, 0.5, 0.25))
            activity.answer("ask", "answered", 0.5, said)
            activity.answer("ask", "stopped", 0.5, None)
            logging.getLogger("ui.web").warning("a fault\n\x1b[2J of ours")

    asyncio.run(run())
    return [json.loads(line) for line in file.read_text(encoding="ascii").splitlines()] if as_json else []


def test_questions_where_they_are_asked_for(tmp_path: Path) -> None:
    assert lines(tmp_path / "serve.log", Activity(questions=True))[1]["question"] == HOSTILE
    text = (tmp_path / "serve.log").read_text()
    assert len(text.splitlines()) == 4
    assert text.isascii()
    assert all(c.isprintable() for c in text.replace("\n", ""))
