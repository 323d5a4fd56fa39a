"""The end of a run by a signal: what is in hand is finished first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ended_gently() -> Iterator[threading.Event]:
    """Yield an event that a SIGTERM sets, which ends a run as Ctrl-C does: with every finished document kept."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event  # only the main thread may listen to signals
        return
    before = signal.signal(signal.SIGTERM, lambda *_: event.set())
    try:
        yield event
    finally:
        signal.signal(signal.SIGTERM, before)
