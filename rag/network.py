"""Limit the time and the bytes of one network request, measured on the wire.

The seconds run while we wait for the other side and not while its reader is busy; headers, bodies of errors and lines
without an end count for the limit of bytes, like everything else.
"""

from __future__ import annotations

import email.utils
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpcore

_PIECE = 65_536
"""The most bytes that are sent at once, so that the limit of seconds holds for a server that takes them slowly."""


class _Thread(threading.local):
    """The allowance of the request that this thread makes."""

    allowance: Allowance | None = None


_THREAD = _Thread()


class Allowance:
    """The seconds and bytes that a request, with all its tries, has left; below 0 it has taken more than it may."""

    def __init__(self, seconds: float, most_bytes: int) -> None:
        """Set the limits."""
        self.seconds = seconds
        self.bytes = most_bytes
        self._until = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the seconds of the block, and the bytes that this thread reads in it, and apply the limits."""
        start = time.monotonic()
        self._until = start + self.seconds
        before, _THREAD.allowance = _THREAD.allowance, self
        try:
            yield
        finally:
            _THREAD.allowance = before
            self.seconds -= time.monotonic() - start

    def patience(self, timeout: float | None) -> float:
        """Return the seconds to wait for one read or write: `timeout` or what is left, whichever is less."""
        remaining = max(0.0, self._until - time.monotonic())
        return remaining if timeout is None else min(timeout, remaining)


class _LimitedStream:
    """A stream of httpcore that applies the allowance of the thread that reads or writes."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return the bytes that have arrived. Raises httpcore.ReadTimeout when the allowance is used up."""
        import httpcore

        allowance = _THREAD.allowance
        if allowance is None:
            return self._stream.read(max_bytes, timeout)
        wait = allowance.patience(timeout)
        if wait <= 0 or allowance.bytes <= 0:
            raise httpcore.ReadTimeout("the call has used up its time or bytes")
        data = self._stream.read(max_bytes, wait)
        allowance.bytes -= len(data)
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send everything, piece by piece."""
        allowance = _THREAD.allowance
        for start in range(0, len(buffer), _PIECE):
            wait = timeout if allowance is None else max(allowance.patience(timeout), 0.001)
            self._stream.write(buffer[start : start + _PIECE], wait)

    def start_tls(self, *args: Any, **options: Any) -> _LimitedStream:
        """Return the encrypted stream, with the same limits."""
        return _LimitedStream(self._stream.start_tls(*args, **options))

    def __getattr__(self, name: str) -> Any:
        """Return any other attribute of the stream."""
        return getattr(self._stream, name)


class HeldNetwork:
    """A network backend of httpcore whose streams apply the allowances of threads."""

    def __init__(self, network: httpcore.NetworkBackend) -> None:
        """Keep the backend that makes the connections."""
        self._network = network

    def connect_tcp(self, host: str, port: int, *args: Any, **options: Any) -> _LimitedStream:
        """Connect, as httpcore would."""
        return _LimitedStream(self._network.connect_tcp(host, port, *args, **options))

    def sleep(self, seconds: float) -> None:
        """Wait, as httpcore would."""
        self._network.sleep(seconds)


def seconds_of(header: str | None) -> float | None:
    """Return the seconds that a server says to wait (Retry-After, as a number or a date), or None."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if math.isfinite(seconds) else None
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
