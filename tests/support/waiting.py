"""Waiting for something to hold, not for time to pass."""

import time
from collections.abc import Callable


def until(true: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)
