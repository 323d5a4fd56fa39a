"""The metrics of a running page, for Prometheus, and its activity: a line of JSON for each request and each answer.

Both say how much was asked and how long it took, never what: no text, no name of a document, a collection or a person,
and a question only where `log_questions` asks for it. JSON in ASCII is obeyed by no terminal.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

from rag import Answered
from ui.errors import Interrupted

if TYPE_CHECKING:
    from rag import Answer, Event

LOG = logging.getLogger("vouch.activity")
"""The logger of these lines; `logged_faults` gives it handlers if the log is JSON."""
MOST_QUESTION = 1000
"""The characters of a question that are logged."""


class Activity:
    """The writer of the activity: a line of JSON per request and per answer, with `questions` the question, too."""

    def __init__(self, *, questions: bool = False) -> None:
        """Keep the choice."""
        self._questions = questions

    def request(self, route: str, method: str, status: int, seconds: float, user: str) -> None:
        """Write the line of a request; `user` is the kind of its sender: account, browser or none."""
        _write("request", route=route, method=method, status=status, ms=round(1000 * seconds, 1), user=user)

    def answer(self, kind: str, outcome: str, seconds: float, answer: Answer | None) -> None:
        """Write the line of an answer; `answer` is None if it failed or was stopped."""
        usage = answer.usage if answer else None
        more: dict[str, object] = {}
        if usage is not None and usage.calls:
            more = {"model_calls": usage.calls, "prompt_tokens": usage.prompt_tokens, "cost": usage.cost}
            more["completion_tokens"] = usage.completion_tokens
        if answer and self._questions:
            more["question"] = answer.question[:MOST_QUESTION]
        _write("answer", kind=kind, outcome=outcome, ms=round(1000 * seconds, 1), **more)


def _write(event: str, **fields: object) -> None:
    if LOG.isEnabledFor(logging.INFO):
        LOG.info("%s", json_line("INFO", event, **fields))


def json_line(level: str, event: str, **fields: object) -> str:
    """Return a line of the log as JSON in ASCII."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return json.dumps({"time": now, "level": level, "event": event} | fields, ensure_ascii=True)


AnswerKind = Literal["ask", "check", "api_ask", "api_check"]
"""The way in which an answer was asked for: in the page, or by a program."""
Outcome = Literal["answered", "abstained", "stopped", "failed"]
_REQUEST_SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
_ANSWER_SECONDS = (0.1, 0.25, 0.5, 1.0, 1.5, 2.5, 5.0, 10.0, 30.0, 120.0, 600.0)


class Metrics:
    """The counts of one running page since it was started. Every method may be called from any thread."""

    def __init__(self) -> None:
        """Start at zero."""
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        self._requests = Counter(
            "vouch_requests", "Requests that were answered", ("route", "method", "status"), registry=self._registry
        )
        self._request_seconds = Histogram(
            "vouch_request_seconds",
            "Seconds until a request was answered",
            ("route",),
            registry=self._registry,
            buckets=_REQUEST_SECONDS,
        )
        self._answers = Counter(
            "vouch_answers", "Answers and checks, by how they ended", ("kind", "outcome"), registry=self._registry
        )
        self._answer_seconds = Histogram(
            "vouch_answer_seconds",
            "Seconds that an answer or a check took, waiting included",
            ("kind",),
            registry=self._registry,
            buckets=_ANSWER_SECONDS,
        )
        self._calls = Counter("vouch_model_calls", "Calls of models", registry=self._registry)
        self._tokens = Counter("vouch_model_tokens", "Tokens of models", ("direction",), registry=self._registry)
        self._over_quota = Counter(
            "vouch_quota_refusals", "What was refused as over a quota", ("limit",), registry=self._registry
        )
        self.activity = Activity()
        self._under_way = 0
        self._lock = threading.Lock()
        self.gauge("vouch_answers_under_way", "Answers and checks that are being made", lambda: self._under_way)
        self._cost = Counter(
            "vouch_model_cost", "Cost of models, in the currency of the profile's prices", registry=self._registry
        )

    @property
    def under_way(self) -> int:
        """The number of answers and checks that are being made."""
        return self._under_way

    def request(self, route: str, method: str, status: int, seconds: float, user: str = "none") -> None:
        """Count a request; `route` and `method` are of small sets, as labels must be; `user` as in `Activity`."""
        self.activity.request(route, method, status, seconds, user)
        self._requests.labels(route, method, str(status)).inc()
        self._request_seconds.labels(route).observe(seconds)

    def observe_answer(self, kind: AnswerKind, events: Iterator[Event]) -> Generator[Event]:
        """Yield the events of an answer and count it at the end, as stopped if they are not consumed completely."""
        start, outcome, answer = self._count_start(), "stopped", None
        try:
            for event in events:
                if isinstance(event, Answered):
                    answer = event.answer
                    outcome = self._count_answer(answer)
                yield event
        except Exception as error:
            outcome = "stopped" if isinstance(error, Interrupted) else "failed"
            raise
        finally:
            if close := getattr(events, "close", None):
                close()
            self._count_end(kind, outcome, start, answer)

    def over_quota(self, limit: str) -> None:
        """Count a request refused by a quota; `limit` is the name of the quota."""
        self._over_quota.labels(limit).inc()

    def gauge(self, name: str, description: str, value: Callable[[], float]) -> None:
        """Add a gauge whose value is read by calling `value` whenever the metrics are read."""
        Gauge(name, description, registry=self._registry).set_function(value)

    def text(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        return bytes(generate_latest(self._registry))

    def _count_answer(self, answer: Answer) -> Outcome:
        self._calls.inc(answer.usage.calls)
        self._tokens.labels("prompt").inc(answer.usage.prompt_tokens)
        self._tokens.labels("completion").inc(answer.usage.completion_tokens)
        self._cost.inc(answer.usage.cost)
        return "abstained" if answer.abstained else "answered"

    def _count_start(self) -> float:
        with self._lock:
            self._under_way += 1
        return time.monotonic()

    def _count_end(self, kind: AnswerKind, outcome: str, start: float, answer: Answer | None) -> None:
        with self._lock:
            self._under_way -= 1
        seconds = time.monotonic() - start
        self._answers.labels(kind, outcome).inc()
        self._answer_seconds.labels(kind).observe(seconds)
        self.activity.answer(kind, outcome, seconds, answer)
