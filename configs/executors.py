"""The places where `--on` lets work be done, by name: this machine, then those of plugins."""

from __future__ import annotations

from vouch.hooks import ExecutorSpec, additions, with_added

LOCAL = "local"
"""The name of this machine."""
_MODULE = "indexing.executors"
EXECUTORS: tuple[ExecutorSpec, ...] = (ExecutorSpec(LOCAL, "this machine", f"{_MODULE}:local_executor"),)
"""The places of the core."""


def executors() -> tuple[ExecutorSpec, ...]:
    """Return all places, this machine first."""
    return with_added(EXECUTORS, additions("executors"))
