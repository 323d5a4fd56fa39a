"""Record what an answer costs (seconds per stage, model calls), notes for its reader, and spans of OpenTelemetry.

Without a collector nothing is imported and nothing is kept. A span has names and numbers, and no word of what people
ask or of what documents say: an error is told by its type.
"""

from __future__ import annotations

import functools
import itertools
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ParamSpec, Protocol, TypeVar

_Value = TypeVar("_Value")
_Given = ParamSpec("_Given")
AttributeValue = str | int | float | bool
"""The values that an attribute of a span may have."""
_SECONDS = 10


class _Sending:
    """The tracer of this process; None while no traces are sent."""

    tracer: Any = None


@contextmanager
def traces_sent(address: str) -> Iterator[None]:
    """Send spans to the OTLP collector at an address (http://collector:4318) while this lasts, then the last of them.

    Spans go in batches, from a thread of their own; a collector that is away costs an answer nothing, and its spans are
    lost. Raises ImportError without the packages of the extra `traces`.
    """
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    exporter = OTLPSpanExporter(endpoint=f"{address.rstrip('/')}/v1/traces", timeout=_SECONDS)
    provider = TracerProvider(resource=Resource.create({"service.name": "vouch"}), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    before, _Sending.tracer = _Sending.tracer, provider.get_tracer("vouch")
    try:
        yield
    finally:
        _Sending.tracer = before
        provider.shutdown()


@contextmanager
def trace_span(name: str, **attributes: AttributeValue) -> Iterator[None]:
    """Trace the block as a span, the parent of spans inside it. The block must not yield from a generator."""
    if _Sending.tracer is None:
        yield
        return
    with (
        _Sending.tracer.start_as_current_span(
            name, attributes=_with_dotted_names(attributes), record_exception=False, set_status_on_exception=False
        ) as span,
        _failing(span),
    ):
        yield


@contextmanager
def traced_apart(name: str, **attributes: AttributeValue) -> Iterator[None]:
    """Trace the block as a span that is no parent of other spans, so that the block may yield from a generator."""
    if _Sending.tracer is None:
        yield
        return
    span = _Sending.tracer.start_span(name, attributes=_with_dotted_names(attributes))
    try:
        with _failing(span):
            yield
    finally:
        span.end()


def trace_steps(name: str) -> Callable[[Callable[_Given, Generator[_Value]]], Callable[_Given, Generator[_Value]]]:
    """Return a decorator of generator functions: all steps of a generator run in one span, which ends with it."""

    def wrap(function: Callable[_Given, Generator[_Value]]) -> Callable[_Given, Generator[_Value]]:
        @functools.wraps(function)
        def stepping(*args: _Given.args, **kwargs: _Given.kwargs) -> Generator[_Value]:
            values = function(*args, **kwargs)
            if _Sending.tracer is None:
                yield from values
            else:
                yield from _stepping(name, values)

        return stepping

    return wrap


def _stepping(name: str, values: Generator[_Value]) -> Generator[_Value]:
    """Yield the values of a generator, each step of which runs in one span; the span ends with the generator."""
    from opentelemetry.trace import use_span

    span = _Sending.tracer.start_span(name)
    try:
        while True:
            with use_span(span, record_exception=False, set_status_on_exception=False), _failing(span):
                try:
                    value = next(values)
                except StopIteration:
                    return
            yield value
    finally:
        values.close()
        span.end()


def current_span_attributes(**attributes: AttributeValue) -> None:
    """Set attributes of the current span, if spans are sent."""
    if _Sending.tracer is not None:
        from opentelemetry.trace import get_current_span

        get_current_span().set_attributes(_with_dotted_names(attributes))


@contextmanager
def _failing(span: Any) -> Iterator[None]:
    """Mark a span as failed, with the type of the exception, if the block raises one."""
    completed = False
    try:
        yield
        completed = True
    finally:
        kind = sys.exc_info()[0]
        if not completed and kind not in (None, GeneratorExit):
            from opentelemetry.trace import StatusCode

            span.set_status(StatusCode.ERROR)
            span.set_attribute("error.type", kind.__name__)


def _with_dotted_names(attributes: dict[str, AttributeValue]) -> dict[str, AttributeValue]:
    """Return attributes by their names in OpenTelemetry: `http__route` is `http.route`."""
    return {name.replace("__", "."): value for name, value in attributes.items()}


@dataclass(frozen=True, slots=True)
class Usage:
    """The cost of calls: tokens as the server counted them (as estimated where it did not), images, calls, seconds.

    `cost` is in the currency of the settings' prices; 0 without prices.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    images: int = 0
    calls: int = 0
    seconds: float = 0.0
    cost: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        """Return the sum of both."""
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.images + other.images,
            self.calls + other.calls,
            self.seconds + other.seconds,
            self.cost + other.cost,
        )


NO_USAGE = Usage()
"""The usage of a step that cost nothing."""


class Metered(Protocol):
    """A part of answering that may call models: a judge, a localizer."""

    @property
    def usage(self) -> Usage:
        """The cost so far."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """The notes for the reader, such as on failures."""
        ...


@dataclass(slots=True)
class Ledger:
    """The account of an answer in the making; `timings` count our own work and the models', not a reader's pauses.

    Threads may add to it at the same time.
    """

    timings: dict[str, float] = field(default_factory=dict)
    usage: Usage = NO_USAGE
    notes: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        """Add the time of the block to the seconds of a stage, and trace it as a span."""
        start = time.perf_counter()
        try:
            with trace_span(f"vouch.{stage}"):
                yield
        finally:
            with self._lock:
                self.timings[stage] = self.timings.get(stage, 0.0) + time.perf_counter() - start

    def split(self, stage: str, part: str, seconds: float) -> None:
        """Move some of the seconds of a stage to another stage, `part`."""
        if seconds:
            with self._lock:
                self.timings[stage] -= seconds
                self.timings[part] = self.timings.get(part, 0.0) + seconds

    def timing(self, stage: str, values: Iterator[_Value]) -> Iterator[_Value]:
        """Yield values, and add the time that each takes to the seconds of a stage."""
        while True:
            with self.measure(stage):
                batch = list(itertools.islice(values, 1))
            if not batch:
                return
            yield batch[0]

    def add(self, usage: Usage = NO_USAGE, notes: Iterable[str] = ()) -> None:
        """Add a cost and notes, each note once."""
        with self._lock:
            self.usage += usage
            self.notes += [note for note in dict.fromkeys(notes) if note not in self.notes]

    def charge(self, *workers: Metered | None) -> None:
        """Add the cost and notes of judges and localizers; None is ignored."""
        for worker in workers:
            if worker is not None:
                self.add(worker.usage, worker.notes)

    def total(self) -> dict[str, float]:
        """Return the timings with their sum."""
        return {**self.timings, "total": sum(self.timings.values())}
