"""Seconds of the processor, with those of every process that was started meanwhile, also by processes that have ended.

A browser ends before its own children do. Linux gives such orphans to the next process above that adopts them; this
one does, so that their time counts as its children's.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import time

_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_PATIENCE = 5.0
"""The seconds that children have to end."""


def adopt_orphans() -> None:
    """Take the children of ended children over from now on. Raises OSError where the system cannot."""
    if ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "this system does not adopt orphaned processes: measure on Linux")


def processor_seconds() -> float:
    """Return the seconds of the processor so far: of this process, and of its children that have ended.

    Waits until all children have ended, 5 seconds at most; call it where nobody else waits for one.
    """
    until = time.monotonic() + _PATIENCE
    with contextlib.suppress(ChildProcessError):  # there is none left
        while time.monotonic() < until:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.01)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
