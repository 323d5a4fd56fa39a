"""Delay Ctrl-C until a safe moment."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def held_interrupt(event: threading.Event | None = None) -> Iterator[threading.Event]:
    """Yield `event`, or a new one, which the first Ctrl-C in the block sets; the block checks it between two steps.

    A second one raises KeyboardInterrupt, which can stop a lock or a queue halfway, so that others wait for ever.
    In other threads than the main one, and where other code handles SIGINT, nothing changes.
    """
    interrupt = event or threading.Event()

    def on_signal(number: int, frame: FrameType | None) -> None:
        if interrupt.is_set():
            signal.default_int_handler(number, frame)
        interrupt.set()

    handles_signal = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if handles_signal:
        signal.signal(signal.SIGINT, on_signal)
    try:
        yield interrupt
    finally:
        if handles_signal:
            signal.signal(signal.SIGINT, signal.default_int_handler)
