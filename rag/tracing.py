"""Traces: the spans of OpenTelemetry that say where time went, sent to a collector while `traces_sent` lasts.

Without a collector nothing is imported and nothing is kept. A span has names and numbers, and no word of what people
ask or of what documents say: an error is told by its type.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

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
