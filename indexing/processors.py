"""Count the processors that this process may use, which can be fewer than the machine has."""

from __future__ import annotations

import os


def cores() -> int:
    """Return how many processors this process may run on, one at least (a container or `taskset` may leave it fewer).

    ONNX Runtime counts those of the machine where it is not told a number, and holds a thread to each of them.
    """
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1  # macOS holds no process to processors
