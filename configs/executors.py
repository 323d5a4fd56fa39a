"""The places where `--on` lets work be done, by name: this machine, then those of plugins."""

from __future__ import annotations

from vouch.hooks import ExecutorSpec, added, with_added

LOCAL = "local"
"""The name of this machine."""
EXECUTORS: tuple[ExecutorSpec, ...] = (ExecutorSpec(LOCAL, "this machine", "indexing.executors:local_executor"),)
"""The places of the core."""


def executors() -> tuple[ExecutorSpec, ...]:
    """Return all places, this machine first."""
    return with_added(EXECUTORS, added("executors"))
