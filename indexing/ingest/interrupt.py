"""The holding of a Ctrl-C until a safe moment."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def held_interrupt(event: threading.Event | None = None) -> Iterator[threading.Event]:
    """Hold a first Ctrl-C inside: it only sets the event, the given or a new one, which is looked at between two steps.

    A second one raises. KeyboardInterrupt may strike inside a lock's or a queue's own code and leave it so that others
    wait for ever. Where Python does not turn SIGINT into that exception (another thread, a handler of other code)
    nothing changes.
    """
    pressed = event or threading.Event()

    def press(number: int, frame: FrameType | None) -> None:
        if pressed.is_set():
            signal.default_int_handler(number, frame)
        pressed.set()

    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if ours:
        signal.signal(signal.SIGINT, press)
    try:
        yield pressed
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
