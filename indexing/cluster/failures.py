"""The failures of a node, as this process is told of them: its own error comes wrapped in Ray's."""

from __future__ import annotations


def unwrapped(error: BaseException) -> BaseException:
    """Return the error that a node raised, or Ray's where it raised none."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, BaseException) else error


def last_line(error: BaseException) -> str:
    """Return what an error says last, of a traceback the error itself; its kind where it says nothing."""
    return (str(error).strip().splitlines() or [type(error).__name__])[-1]
