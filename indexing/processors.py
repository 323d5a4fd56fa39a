"""Count the processors that this process may use, which can be fewer than the machine has."""

from __future__ import annotations

import os


def cores() -> int:
    """Return how many processors this process can run on, at least 1 (a container or `taskset` can restrict it).

    By default, ONNX Runtime counts those of the machine instead, and pins a thread to each of them.
    """
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1  # macOS restricts no process to processors
